# SPDX-License-Identifier: MIT
NO_VECTORS := -mgeneral-regs-only
