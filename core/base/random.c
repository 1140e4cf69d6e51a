#include <lockstep/random.h>

uint64_t ls_random_u64(const ls_random_key *key)
{
    ls_random_stream stream = ls_random_root(key->seed);
    stream = ls_random_child(stream, key->tick);
    stream = ls_random_child(stream, key->system);
    stream = ls_random_child(stream, key->entity);
    return ls_random_draw(stream, key->draw);
}

uint64_t ls_name_key(const char *name)
{
    uint64_t key = 0xcbf29ce484222325ULL;
    for (; *name; name++)
        key = (key ^ (uint8_t)*name) * 0x100000001b3ULL;
    return key;
}
