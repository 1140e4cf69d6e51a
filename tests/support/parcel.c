#include "tests/support/parcel.h"

#include <string.h>

ls_parcel *ls_parcel_create(ls_parcel_kind kind, const ls_packet *packet)
{
    uint32_t bytes = packet ? packet->bytes : 0;
    ls_parcel *parcel = ls_alloc(sizeof *parcel + bytes);
    parcel->kind = kind;
    parcel->channel = packet ? packet->channel : LS_CHANNEL_CONTROL;
    parcel->bytes = bytes;
    if (bytes)
        memcpy(parcel->data, packet->data, bytes);
    return parcel;
}

ls_parcel *ls_parcel_clone(const ls_parcel *parcel)
{
    ls_parcel *clone = ls_alloc(sizeof *clone + parcel->bytes);
    memcpy(clone, parcel, sizeof *parcel + parcel->bytes);
    return clone;
}

void ls_parcel_destroy(ls_parcel *parcel)
{
    ls_free(parcel);
}
