#include "desync/call_stack.h"

#include <unwind.h>

struct frames {
    uintptr_t *list;
    uint32_t count, max;
};

static _Unwind_Reason_Code take(struct _Unwind_Context *context, void *data)
{
    struct frames *frames = data;
    uintptr_t address = (uintptr_t)_Unwind_GetIP(context);
    if (address == 0 ||
        frames->count == frames->max) /* 0: what called the thread's first function */
        return _URC_END_OF_STACK;
    frames->list[frames->count++] = address;
    return _URC_NO_REASON;
}

uint32_t ls_call_stack_take(uintptr_t *list, uint32_t max)
{
    struct frames frames = {.list = list, .max = max};
    (void)_Unwind_Backtrace(take, &frames);
    return frames.count;
}
