#include "model/file_class.h"

#include <string.h>

#include "tap.h"

static void class_is(const char *path, const char *wanted)
{
    char name[FM_FILE_CLASS_BYTES], again[FM_FILE_CLASS_BYTES];
    fm_file_class(path, name);
    tap_ok(strcmp(name, wanted) == 0, "%s is in '%s' (%s)", path, wanted, name);
    tap_ok(strcmp(fm_file_class(name, again), name) == 0, "the class of that is itself");
}

int main(void)
{
    class_is("/scratch/ocean/run12/out/field.000123.nc", "*.nc below /scratch/ocean/run*");
    class_is("/scratch/ocean/run12/out.000123", "out.* below /scratch/ocean/run*");
    class_is("/home/u/INPUT", "INPUT below /home/u");
    class_is("/home/u/.hidden", ".hidden below /home/u");
    class_is("/rank7", "rank* below /");
    class_is("/a/x.tar.gz", "*.gz below /a");
    class_is("/a/1/2/3/4/5.h5", "*.h5 below /a/*/*");
    class_is("/", " below /");
    class_is("/tmp/gfortrantmpj129Fb (deleted)", "deleted files below /tmp");
    class_is("/tmp/gfortrantmpj129Fb", "gfortrantmp* below /tmp");
    class_is("/tmp/gfortrantmpzzaTmp", "gfortrantmp* below /tmp");
    class_is("/tmp/tmp.Xa81bcQzuT/field.nc", "*.nc below /tmp/tmp.*");
    class_is("/tmp/tmp.aB3xYz", "tmp.* below /tmp");
    class_is("/a/ocean_tmp", "ocean_tmp below /a");
    class_is("/a/tmpfields", "tmpfields below /a");
    class_is("/a/tmp.nc", "*.nc below /a");
    class_is("/a/tmp123456", "tmp* below /a");
    class_is("/tmp/x/y", "y below /tmp/x");
    class_is("/tmp/field.nc (deleted)", "deleted files below /tmp");
    class_is("/tmp/ (deleted)", " (deleted) below /tmp");
    char path[4096], name[FM_FILE_CLASS_BYTES];
    memset(path, 'a', sizeof path);
    for (size_t i = 0; i < sizeof path; i += 200)
        path[i] = '/';
    path[sizeof path - 1] = 0;
    tap_ok(strlen(fm_file_class(path, name)) < FM_FILE_CLASS_BYTES, "a long path is cut");
    tap_ok(strcmp(fm_file_class(FM_OTHER_FILES, name), FM_OTHER_FILES) == 0, "so is the class of all others");
    return tap_done();
}
