#include "present/units.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

static const double HOUR_NS = 3600e9;

/* "1234567.8" -> "1,234,567.8", in place; the buffer has room. */
static void add_commas(char *digits)
{
    size_t whole = strcspn(digits, ". ");
    for (size_t at = whole; at > 3;) {
        at -= 3;
        memmove(digits + at + 1, digits + at, strlen(digits + at) + 1);
        digits[at] = ',';
    }
}

/* Rounding may reach the next unit's 1: 999.96 ms is 1.0 s. */
static int reaches(double value, double unit)
{
    return value >= unit * 0.99995;
}

const char *fm_time_text(char *buffer, double ns)
{
    if (ns >= 10 * HOUR_NS) {
        snprintf(buffer, FM_UNIT_CHARS, "%.1f h", ns / HOUR_NS);
        add_commas(buffer);
    } else if (reaches(ns, 1e9)) {
        snprintf(buffer, FM_UNIT_CHARS, "%.*f s", reaches(ns, 1e12) ? 0 : 1, ns / 1e9);
        add_commas(buffer);
    } else if (reaches(ns, 1e6)) {
        snprintf(buffer, FM_UNIT_CHARS, "%.1f ms", ns / 1e6);
    } else if (reaches(ns, 1e3)) {
        snprintf(buffer, FM_UNIT_CHARS, "%.1f us", ns / 1e3);
    } else {
        snprintf(buffer, FM_UNIT_CHARS, "%.0f ns", ns);
    }
    return buffer;
}

static const char *bytes_text(char *buffer, double bytes, const char *per)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t unit = 0;
    while (unit + 1 < sizeof units / sizeof *units && reaches(bytes, 1024)) {
        bytes /= 1024;
        unit++;
    }
    int whole = unit == 0 && (bytes == floor(bytes) || bytes >= 99.95);
    snprintf(buffer, FM_UNIT_CHARS, "%.*f %s%s", whole ? 0 : 1, bytes, units[unit], per);
    add_commas(buffer);
    return buffer;
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
    } else {
        double value = (double)count / 1e6;
        size_t unit = 0;
        for (; unit + 2 < sizeof units && reaches(value, 1000); unit++)
            value /= 1000;
        snprintf(buffer, FM_UNIT_CHARS, "%.1f %c", value, units[unit]);
    }
    add_commas(buffer);
    return buffer;
}

uint64_t fm_rounded(double number)
{
    return !(number > 0) ? 0 : number >= 0x1p64 ? UINT64_MAX : (uint64_t)(number + 0.5);
}

const char *fm_mean_text(char *buffer, double mean)
{
    if (mean == floor(mean) || mean >= 1e4)
        return fm_count_text(buffer, fm_rounded(mean));
    snprintf(buffer, FM_UNIT_CHARS, "%.1f", mean);
    add_commas(buffer);
    return buffer;
}

const char *fm_percent_text(char *buffer, double fraction)
{
    if (fraction > 0 && fraction < 0.0005)
        snprintf(buffer, FM_UNIT_CHARS, "<0.1");
    else if (fraction >= 0.9995 && fraction < 1)
        snprintf(buffer, FM_UNIT_CHARS, ">99.9");
    else
        snprintf(buffer, FM_UNIT_CHARS, "%.1f", 100 * fraction);
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

const char *fm_percent_fine(char *buffer, double fraction)
{
    double percent = 100 * fraction;
    if (percent > 0 && percent < 0.001)
        snprintf(buffer, FM_UNIT_CHARS, "<0.001 %%");
    else if (percent < 99) /* %g would write 1e+02 soon */
        snprintf(buffer, FM_UNIT_CHARS, "%.2g %%", percent);
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
