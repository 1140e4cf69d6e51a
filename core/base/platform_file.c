#include "core/base/descriptor_read.h"

#include "core/base/platform_file.h"

#include <errno.h>

int ls_descriptor_read_all(int descriptor, void *data, size_t count, size_t *done)
{
    uint8_t *bytes = data;
    for (*done = 0; *done < count;) {
        int64_t step = ls_descriptor_read(descriptor, bytes + *done, count - *done);
        if (step == -EINTR)
            continue;
        if (step <= 0)
            return (int)step;
        *done += (size_t)step;
    }
    return 0;
}
