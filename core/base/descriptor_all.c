#include "core/base/descriptor_all.h"

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

int ls_descriptor_write_all(int descriptor, const void *data, size_t count)
{
    const uint8_t *bytes = data;
    while (count > 0) {
        int64_t step = ls_descriptor_write(descriptor, bytes, count);
        if (step == -EINTR)
            continue;
        if (step <= 0)
            return step ? (int)step : -EIO;
        bytes += step;
        count -= (size_t)step;
    }
    return 0;
}
