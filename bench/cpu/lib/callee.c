/* SPDX-License-Identifier: MIT */
#include "callee.h"

#define DEFINE(n) CALLEE_DEFINE(callee, n)

CALLEE_FOR_EACH(DEFINE)
