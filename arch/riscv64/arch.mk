# SPDX-License-Identifier: MIT
# The compiler has no option against vector registers; arguments of integer types
# never travel in them.
NO_VECTORS :=
