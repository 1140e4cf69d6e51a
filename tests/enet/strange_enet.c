/* Preloaded over libenet: reports the version number of a later, unknown release. */
#include <stdint.h>

__attribute__((visibility("default"))) uint32_t enet_linked_version(void);

uint32_t enet_linked_version(void)
{
    return 1 << 16 | 4 << 8 | 2;
}
