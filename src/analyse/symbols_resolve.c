#include "analyse/symbols_table.h"

void fm_symbols_resolve(struct fm_symbols *symbols)
{
    (void)symbols;
}
