// SPDX-License-Identifier: MIT
#include "cert.h"

void oscost_function(void)
{
	asm volatile(".rept 100\n\tnop\n\t.endr");
}
