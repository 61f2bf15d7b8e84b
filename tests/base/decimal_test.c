#include "base/decimal.h"

#include "tap.h"

int main(void)
{
    int wrong = 0;
    for (unsigned bin = 0; bin < FM_DECIMAL_BINS; bin++)
        wrong += fm_decimal_bin(fm_decimal_bin_from(bin)) != bin || fm_decimal_bin(fm_decimal_bin_to(bin)) != bin ||
                 (bin && fm_decimal_bin_from(bin) != fm_decimal_bin_to(bin - 1) + 1);
    tap_ok(!wrong && fm_decimal_bin_from(0) == 0 && fm_decimal_bin(UINT64_MAX) == FM_DECIMAL_BINS - 1,
           "bins meet without gaps, from 0 to the last of 64 bits");
    tap_ok(fm_decimal_bin(9) == 9 && fm_decimal_bin(10) == 10 && fm_decimal_bin(19) == 10 && fm_decimal_bin(99) == 18 &&
               fm_decimal_bin(100) == 19,
           "ten single ones, then nine for each power of ten");
    wrong = 0;
    for (uint64_t ns = 0; ns < 300000; ns++)
        for (unsigned k = 0; k < 6; k++)
            wrong += fm_decimal_bin(ns / fm_power_of_ten(k)) != fm_decimal_bin_coarse(fm_decimal_bin(ns), k);
    tap_ok(!wrong, "coarser ticks have the same bins");
    wrong = 0;
    for (unsigned bin = 0; fm_decimal_bin_from(bin) < FM_QUICK_TICKS; bin++)
        for (uint64_t ns = fm_decimal_bin_from(bin); ns <= fm_decimal_bin_to(bin);
             ns = ns == fm_decimal_bin_to(bin) ? ns + 1 : fm_decimal_bin_to(bin))
            wrong += fm_decade_quick((uint32_t)ns) != fm_decade(ns) ||
                     fm_first_digit_quick((uint32_t)ns, fm_decade(ns)) != fm_first_digit(ns, fm_decade(ns));
    for (uint32_t ns = 0; ns < 2000000; ns++)
        wrong += fm_decade_quick(ns) != fm_decade(ns) ||
                 fm_first_digit_quick(ns, fm_decade(ns)) != fm_first_digit(ns, fm_decade(ns));
    tap_ok(!wrong, "the quick ones are the same");
    return tap_done();
}
