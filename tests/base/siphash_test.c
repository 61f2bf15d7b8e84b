/* The keyed hash is SipHash-2-4: vectors of its authors' paper and reference. */
#include "base/siphash.h"

#include "tap.h"

int main(void)
{
    const struct fm_siphash_key key = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
    unsigned char bytes[15];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    tap_ok(fm_siphash(&key, bytes, 15) == 0xa129ca6149be45e5, "the vector of the paper");
    tap_ok(fm_siphash(&key, bytes, 0) == 0x726fdb47dd0e0e31, "nothing");
    tap_ok(fm_siphash(&key, bytes, 8) == 0x93f5f5799a932462, "a whole word");
    return tap_done();
}
