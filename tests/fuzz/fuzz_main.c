/* Drives a fuzz entry point without a fuzzer, with any compiler: runs every file of a corpus
 * directory unchanged, then seeded mutations of it.
 * usage: fuzz_x CORPUS [ROUNDS [SEED]] */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { FILE_BYTES_MAX = 1 << 20, CHANGES_MAX = 8, PATH_BYTES = 4096 };

static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Runs on an allocation of exactly this size, so that a sanitizer reports any access out of
 * bounds. */
static void run(const uint8_t *data, size_t bytes)
{
    uint8_t *copy = malloc(bytes ? bytes : 1);
    if (!copy)
        abort();
    memcpy(copy, data, bytes);
    LLVMFuzzerTestOneInput(copy, bytes);
    free(copy);
}

/* Flips bits, sets bytes, truncates, repeats or zero-fills. Returns the new length. */
static size_t change(uint8_t *data, size_t bytes, uint64_t *state)
{
    uint64_t count = 1 + draw(state) % CHANGES_MAX;
    for (uint64_t i = 0; i < count && bytes > 0; i++) {
        size_t at = draw(state) % bytes;
        size_t span = draw(state) % (bytes - at) % 64;
        switch (draw(state) % 6) {
        case 0:
        case 1:
            data[at] ^= (uint8_t)(1 << draw(state) % 8);
            break;
        case 2:
            data[at] = (uint8_t)draw(state);
            break;
        case 3:
            bytes = at;
            break;
        case 4:
            memset(data + at, 0, span);
            break;
        default:
            memmove(data + draw(state) % (bytes - span), data + at, span);
        }
    }
    return bytes;
}

static void run_file(const char *path, uint32_t rounds, uint64_t seed)
{
    static uint8_t data[FILE_BYTES_MAX], changed[FILE_BYTES_MAX];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    size_t bytes = fread(data, 1, sizeof data, file);
    fclose(file);
    run(data, bytes);
    for (uint32_t round = 0; round < rounds; round++) {
        memcpy(changed, data, bytes);
        run(changed, change(changed, bytes, &seed));
    }
}

int main(int argc, char **argv)
{
    char path[PATH_BYTES];
    uint32_t files = 0;
    uint32_t rounds = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    DIR *directory = argc > 1 ? opendir(argv[1]) : NULL;
    if (!directory) {
        fprintf(stderr, "usage: %s CORPUS [ROUNDS [SEED]]\n", argv[0]);
        return 2;
    }
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        run_file(path, rounds, seed);
        files++;
    }
    closedir(directory);
    printf("%u files, %u changes of each, seed %llu\n", files, rounds, (unsigned long long)seed);
    return files ? 0 : 1;
}
