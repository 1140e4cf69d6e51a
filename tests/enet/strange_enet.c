/* Preloaded over libenet: a version that a later one might report. */
#include <stdint.h>

__attribute__((visibility("default"))) uint32_t enet_linked_version(void);

uint32_t enet_linked_version(void)
{
    return 1 << 16 | 4 << 8 | 2;
}
