/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/units.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/decimal.h"

static const double HOUR_NS = 3600e9;

/* "1234567.8" -> "1,234,567.8", in place; the buffer is large enough. */
static void add_commas(char *digits)
{
    size_t whole = strcspn(digits, ". ");
    for (size_t at = whole; at > 3;) {
        at -= 3;
        memmove(digits + at + 1, digits + at, strlen(digits + at) + 1);
        digits[at] = ',';
    }
}

/* Rounding may reach 1 of the next unit: 999.96 ms is 1.0 s. */
static int reaches(double value, double unit)
{
    return value >= unit * 0.99995;
}

/* Like printf's %f, whose decimal point depends on the locale; ties round to even here as well. */
const char *fm_decimal_text(char *buffer, double value, unsigned decimals)
{
    uint64_t power = fm_power_of_ten(decimals), scaled = fm_rounded(value * (double)power);
    scaled -= scaled % 2 && (double)scaled - value * (double)power == 0.5;
    int n = snprintf(buffer, FM_UNIT_CHARS, "%" PRIu64, scaled / power);
    if (decimals)
        snprintf(buffer + n, FM_UNIT_CHARS - (size_t)n, ".%0*" PRIu64, (int)decimals, scaled % power);
    add_commas(buffer);
    return buffer;
}

static const char *number_text(char *buffer, double value, unsigned decimals, const char *unit)
{
    size_t n = strlen(fm_decimal_text(buffer, value, decimals));
    snprintf(buffer + n, FM_UNIT_CHARS - n, " %s", unit);
    return buffer;
}

const char *fm_time_text(char *buffer, double ns)
{
    if (ns >= 10 * HOUR_NS)
        return number_text(buffer, ns / HOUR_NS, 1, "h");
    if (reaches(ns, 1e9))
        return number_text(buffer, ns / 1e9, reaches(ns, 1e12) ? 0 : 1, "s");
    if (reaches(ns, 1e6))
        return number_text(buffer, ns / 1e6, 1, "ms");
    return reaches(ns, 1e3) ? number_text(buffer, ns / 1e3, 1, "us") : number_text(buffer, ns, 0, "ns");
}

static const char *four_digits(char *buffer, double value, const char *unit)
{
    return number_text(buffer, value, value >= 999.95 ? 0 : value >= 99.995 ? 1 : value >= 9.9995 ? 2 : 3, unit);
}

const char *fm_time_fine(char *buffer, double ns)
{
    if (ns >= 10 * HOUR_NS)
        return number_text(buffer, ns / HOUR_NS, 1, "h");
    if (reaches(ns, 1e9))
        return four_digits(buffer, ns / 1e9, "s");
    if (reaches(ns, 1e6))
        return four_digits(buffer, ns / 1e6, "ms");
    return reaches(ns, 1e3) ? four_digits(buffer, ns / 1e3, "us") : number_text(buffer, ns, 0, "ns");
}

static int is_whole(double number)
{
    return number >= 0x1p63 || number == (double)(int64_t)number;
}

static const char *bytes_text(char *buffer, double bytes, const char *per)
{
    static const char units[][4] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t unit = 0;
    while (unit + 1 < sizeof units / sizeof *units && reaches(bytes, 1024)) {
        bytes /= 1024;
        unit++;
    }
    int whole = unit == 0 && (is_whole(bytes) || bytes >= 99.95);
    char name[8];
    snprintf(name, sizeof name, "%s%s", units[unit], per);
    return number_text(buffer, bytes, whole ? 0 : 1, name);
}

const char *fm_bytes_text(char *buffer, double bytes)
{
    return bytes_text(buffer, bytes, "");
}

const char *fm_rate_text(char *buffer, double per_second)
{
    return bytes_text(buffer, per_second, "/s");
}

const char *fm_count_text(char *buffer, uint64_t count)
{
    static const char units[] = "MGTPE";
    if (count < 10000000) {
        snprintf(buffer, FM_UNIT_CHARS, "%" PRIu64, count);
        add_commas(buffer);
    } else {
        double value = (double)count / 1e6;
        size_t unit = 0;
        for (; unit + 2 < sizeof units && reaches(value, 1000); unit++)
            value /= 1000;
        number_text(buffer, value, 1, (char[]){units[unit], 0});
    }
    return buffer;
}

uint64_t fm_rounded(double number)
{
    return !(number > 0) ? 0 : number >= 0x1p64 ? UINT64_MAX : (uint64_t)(number + 0.5);
}

const char *fm_mean_text(char *buffer, double mean)
{
    if (is_whole(mean) || mean >= 1e4)
        return fm_count_text(buffer, fm_rounded(mean));
    return fm_decimal_text(buffer, mean, 1);
}

const char *fm_percent_text(char *buffer, double fraction)
{
    if (fraction <= -0.0005) {
        *buffer = '-';
        fm_decimal_text(buffer + 1, -100 * fraction, 1);
    } else if (fraction > 0 && fraction < 0.0005)
        snprintf(buffer, FM_UNIT_CHARS, "<0.1");
    else if (fraction >= 0.9995 && fraction < 1)
        snprintf(buffer, FM_UNIT_CHARS, ">99.9");
    else
        fm_decimal_text(buffer, 100 * fraction, 1);
    return buffer;
}

const char *fm_percent_whole(char *buffer, double fraction)
{
    if (fraction > 0 && fraction < 0.005)
        snprintf(buffer, FM_UNIT_CHARS, "<1 %%");
    else if (fraction >= 0.995 && fraction < 1)
        snprintf(buffer, FM_UNIT_CHARS, ">99 %%");
    else
        snprintf(buffer, FM_UNIT_CHARS, "%.0f %%", 100 * fraction);
    return buffer;
}

/* Two significant digits, without trailing zeros. */
static void fine_text(char *buffer, double percent)
{
    unsigned decimals = 0;
    for (double least = 9.95; percent < least && decimals < 4; least /= 10)
        decimals++;
    char *end = buffer + strlen(fm_decimal_text(buffer, percent, decimals));
    while (decimals && end[-1] == '0')
        end--;
    end -= end[-1] == '.';
    memcpy(end, " %", sizeof " %");
}

const char *fm_percent_fine(char *buffer, double fraction)
{
    double percent = 100 * fraction;
    if (percent > 0 && percent < 0.001)
        snprintf(buffer, FM_UNIT_CHARS, "<0.001 %%");
    else if (percent < 99)
        fine_text(buffer, percent);
    else
        snprintf(buffer, FM_UNIT_CHARS, "%.0f %%", percent);
    return buffer;
}

static const char *date(char *buffer, uint64_t real_ns, const char *format)
{
    time_t seconds = (time_t)(real_ns / 1000000000u);
    struct tm utc;
    if (real_ns == 0 || !gmtime_r(&seconds, &utc) || strftime(buffer, FM_UNIT_CHARS, format, &utc) == 0)
        buffer[0] = 0;
    return buffer;
}

const char *fm_date_text(char *buffer, uint64_t real_ns)
{
    return date(buffer, real_ns, "%Y-%m-%d %H:%M:%S UTC");
}

const char *fm_date_iso(char *buffer, uint64_t real_ns)
{
    return date(buffer, real_ns, "%Y-%m-%dT%H:%M:%SZ");
}

void fm_print_seconds(FILE *out, uint64_t ns)
{
    fprintf(out, "%" PRIu64 ".%09" PRIu64, ns / 1000000000u, ns % 1000000000u);
}
