#include "cli/module/sim_imports.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#define NAMES_MAX 256

typedef enum import_kind { IMPORT_GOOD, IMPORT_OTHER, IMPORT_MACHINE, IMPORT_FLOAT } import_kind;

/* Functions of the C library, separated by blanks, that read a clock, random numbers, the process,
 * its user, files or the machine. Whether their results reach the state is not visible from
 * outside. */
static const char machine[] =
    "__fxstat __fxstat64 __fxstatat __fxstatat64 __lxstat __lxstat64 __xstat __xstat64 access "
    "adjtimex arc4random arc4random_buf arc4random_uniform clock clock_getcpuclockid "
    "clock_getres clock_gettime confstr ctermid ctime ctime_r dl_iterate_phdr drand48 eaccess "
    "epoll_pwait epoll_pwait2 epoll_wait euidaccess faccessat fcntl fcntl64 fdopen fdopendir "
    "fgetc fgetc_unlocked fgets fgets_unlocked fgetwc fgetws fopen fopen64 fpathconf fread "
    "fread_unlocked freopen freopen64 fscanf fstat fstat64 fstatat fstatat64 fstatfs fstatfs64 "
    "fstatvfs fstatvfs64 ftime ftw ftw64 fwscanf get_avphys_pages get_current_dir_name "
    "get_nprocs get_nprocs_conf get_phys_pages getaddrinfo getauxval getc getc_unlocked "
    "getchar getchar_unlocked getcpu getcwd getdelim getdents64 getdomainname getdtablesize "
    "getegid getentropy getenv geteuid getgid getgrent getgrgid getgrgid_r getgrnam getgrnam_r "
    "getgrouplist getgroups gethostbyaddr gethostbyname gethostbyname_r gethostid gethostname "
    "getifaddrs getitimer getline getloadavg getlogin getlogin_r getnameinfo getpagesize "
    "getpeername getpgid getpgrp getpid getppid getpriority getpwent getpwnam getpwnam_r "
    "getpwuid getpwuid_r getrandom getresgid getresuid getrlimit getrlimit64 getrusage getsid "
    "getsockname getsockopt gettid gettimeofday getuid getw getwc getwchar glob glob64 "
    "if_indextoname if_nameindex if_nametoindex initstate ioctl isatty lcong48 localeconv "
    "localtime localtime_r lrand48 lseek lseek64 lstat lstat64 mallinfo mallinfo2 "
    "malloc_usable_size mincore mktime mrand48 newfstatat nftw nftw64 nl_langinfo "
    "nl_langinfo_l ntp_gettime open open64 openat openat64 opendir pathconf poll popen ppoll "
    "prctl pread pread64 preadv preadv2 prlimit prlimit64 process_vm_readv pselect "
    "pthread_getaffinity_np pthread_getattr_np pthread_getcpuclockid pthread_getname_np "
    "pthread_getschedparam pthread_self ptsname rand random read readdir readdir64 readdir64_r "
    "readdir_r readlink readlinkat readv realpath recv recvfrom recvmmsg recvmsg scandir "
    "scandir64 scandirat scanf sched_getaffinity sched_getattr sched_getcpu sched_getparam "
    "sched_getscheduler sched_rr_get_interval secure_getenv seed48 select setlocale socket "
    "srand srand48 srandom stat stat64 statfs statfs64 statvfs statvfs64 statx strftime "
    "strftime_l syscall sysconf sysinfo system tcgetattr tempnam thrd_current time "
    "timer_gettime timerfd_gettime times timespec_get timespec_getres tmpfile tmpfile64 tmpnam "
    "ttyname ttyname_r tzset umask uname vfscanf vscanf wait wait3 wait4 waitid waitpid wscanf";
/* Variables of the C library that give access to the process, its user or the machine. */
static const char machine_objects[] =
    "daylight environ program_invocation_name"
    " program_invocation_short_name stdin timezone tzname __daylight __environ __progname"
    " __progname_full __timezone __tzname _environ";
static const char other[] =
    "erand48 fesetenv fesetround feupdateenv jrand48 nrand48 qsort qsort_r rand_r random_r strtod "
    "strtof strtold";

/* Functions of libm whose result IEEE 754 or their own definition fixes, so that every library
 * gives the same. remquo() is not one of them: each library chooses how many bits of the quotient
 * it gives. */
static const char exact[] =
    "canonicalize ceil cimag conj copysign cproj creal dadd ddiv dfma dmul drem dsqrt dsub fabs "
    "fadd fdim fdiv ffma finite floor fma fmax fmaximum fmaximum_mag fmaximum_mag_num "
    "fmaximum_num fmaxmag fmin fminimum fminimum_mag fminimum_mag_num fminimum_num fminmag fmod "
    "fmul frexp fromfp fromfpx fsqrt fsub getpayload ilogb isinf isnan ldexp llogb llrint llround "
    "logb lrint lround modf nan nearbyint nextafter nextdown nexttoward nextup remainder rint "
    "round roundeven scalb scalbln scalbn setpayload setpayloadsig significand sqrt totalorder "
    "totalordermag trunc ufromfp ufromfpx __finite __fpclassify __iscanonical __iseqsig __isinf "
    "__isnan __issignaling __signbit";

/* All other functions of libm, by name, for a C library that has them in the same object as
 * everything else. */
static const char inexact[] =
    "acos acosh acospi asin asinh asinpi atan atan2 atan2pi atanh atanpi cabs cacos cacosh carg "
    "casin casinh catan catanh cbrt ccos ccosh cexp clog clog10 compoundn cos cosh cospi cpow "
    "csin csinh csqrt ctan ctanh erf erfc exp exp10 exp10m1 exp2 exp2m1 expm1 gamma hypot j0 j1 "
    "jn lgamma log log10 log10p1 log1p log2 log2p1 logp1 pow pow10 pown powr remquo rootn rsqrt "
    "sin sincos sinh sinpi tan tanh tanpi tgamma y0 y1 yn";

/* The module's tables as the loader mapped them. The loader has checked them. */
typedef struct dynamic {
    const ElfW(Sym) * symbols;
    const char *strings;
    const ElfW(Rela) * tables[2];
    size_t bytes[2];
} dynamic;

static void read_dynamic(const struct link_map *map, dynamic *found)
{
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        /* Some loaders keep the file's offset here, others replace it by an address. */
        uintptr_t where = entry->d_un.d_ptr;
        const void *at = (const void *)(where < map->l_addr ? map->l_addr + where : where);
        switch (entry->d_tag) {
        case DT_SYMTAB:
            found->symbols = at;
            break;
        case DT_STRTAB:
            found->strings = at;
            break;
        case DT_JMPREL:
            found->tables[0] = at;
            break;
        case DT_PLTRELSZ:
            found->bytes[0] = entry->d_un.d_val;
            break;
        case DT_RELA:
            found->tables[1] = at;
            break;
        case DT_RELASZ:
            found->bytes[1] = entry->d_un.d_val;
            break;
        default:
            break;
        }
    }
}

/* Whether one of the words is the name without its ending: "sin" stands for `sin`, `sinf`, `sinl`
 * and those of ISO/IEC TS 18661-3, such as `sinf128`. */
static bool is_listed(const char *name, const char *words, const char *const *endings)
{
    while (*words) {
        size_t letters = strcspn(words, " ");
        bool is_start = strncmp(name, words, letters) == 0;
        for (size_t i = 0; is_start && endings[i]; i++) {
            if (strcmp(name + letters, endings[i]) == 0)
                return true;
        }
        words += letters + (words[letters] == ' ');
    }
    return false;
}

static const char *const no_endings[] = {"", NULL};
static const char *const float_endings[] = {"",    "f",    "l",    "f16",  "f32",
                                            "f64", "f128", "f32x", "f64x", NULL};

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Whether the function is libm's, judged by the object that the loader finds it in. If that object
 * also has other functions, the name decides. */
static bool is_in_libm(void *library, const char *name)
{
    Dl_info about, own;
    const void *at = dlsym(library, name);
    if (!at)
        at = dlsym(RTLD_DEFAULT, name);
    bool is_known =
        at && dladdr(at, &about) && about.dli_fname && dladdr((void *)(uintptr_t)is_in_libm, &own);
    const char *slash = is_known ? strrchr(about.dli_fname, '/') : NULL;
    const char *file = slash ? slash + 1 : is_known ? about.dli_fname : "";
    if (begins_with(file, "libm.") || begins_with(file, "libm-") || begins_with(file, "libmvec"))
        return true;
    return (!is_known || about.dli_fbase == own.dli_fbase || begins_with(file, "libc.") ||
            begins_with(file, "ld-musl")) &&
           is_listed(name, inexact, float_endings);
}

/* Removes prefixes and suffixes that `-D_FORTIFY_SOURCE` and newer headers add to a function's
 * name. */
static void plain_name(const char *name, char plain[64])
{
    static const char *const starts[] = {"__isoc99_", "__isoc23_", "__"};
    size_t letters = strlen(name);
    bool is_checked = letters > 6 && strcmp(name + letters - 4, "_chk") == 0;
    size_t skip = 0;
    for (size_t i = 0; !skip && i < LS_COUNT_OF(starts); i++) {
        if (begins_with(name, starts[i]) && (i + 1 < LS_COUNT_OF(starts) || is_checked))
            skip = strlen(starts[i]);
    }
    snprintf(plain, 64, "%.*s", (int)(letters - skip - (is_checked ? 4 : 0)), name + skip);
}

bool ls_sim_imports_is_machine(const char *name)
{
    char plain[64];
    plain_name(name, plain);
    return is_listed(plain, machine, no_endings) || is_listed(name, machine_objects, no_endings);
}

static import_kind kind_of(void *library, const char *name, bool is_object)
{
    char plain[64];
    plain_name(name, plain);
    if (ls_sim_imports_is_machine(name))
        return IMPORT_MACHINE;
    if (is_object)
        return IMPORT_GOOD;
    if (is_listed(plain, other, no_endings))
        return IMPORT_OTHER;
    /* fe...: functions of the floating-point environment */
    if (begins_with(name, "fe") || is_listed(name, exact, float_endings))
        return IMPORT_GOOD;
    return is_in_libm(library, name) ? IMPORT_FLOAT : IMPORT_GOOD;
}

/* Names in alphabetical order, without duplicates. */
struct names {
    const char *list[NAMES_MAX];
    uint32_t count;
};

static void insert(struct names *names, const char *name)
{
    uint32_t at = 0;
    while (at < names->count && strcmp(names->list[at], name) < 0)
        at++;
    if (names->count == NAMES_MAX || (at < names->count && strcmp(names->list[at], name) == 0))
        return;
    memmove(&names->list[at + 1], &names->list[at], (names->count - at) * sizeof *names->list);
    names->list[at] = name;
    names->count++;
}

static void find_all(void *library, const dynamic *module, struct names *names,
                     ls_sim_imports *imports)
{
    for (int table = 0; table < 2; table++) {
        size_t count = module->tables[table] ? module->bytes[table] / sizeof(ElfW(Rela)) : 0;
        for (size_t i = 0; i < count; i++) {
            const ElfW(Sym) *symbol =
                &module->symbols[ELF64_R_SYM(module->tables[table][i].r_info)];
            const char *name = module->strings + symbol->st_name;
            if (symbol->st_shndx != SHN_UNDEF || !name[0])
                continue;
            bool is_object = ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT;
            import_kind kind = kind_of(library, name, is_object);
            if (kind != IMPORT_GOOD)
                insert(names, name);
            imports->has_floats |= kind == IMPORT_FLOAT;
            imports->has_machine |= kind == IMPORT_MACHINE;
        }
    }
}

static void print_names(const struct names *names, char *text, size_t bytes)
{
    static const char more[] = " and more";
    size_t used = 0;
    for (uint32_t i = 0; i < names->count; i++) {
        size_t needed = strlen(names->list[i]) + strlen(", ()");
        if (used + needed + sizeof more > bytes) {
            snprintf(text + used, bytes - used, "%s", more);
            return;
        }
        used +=
            (size_t)snprintf(text + used, bytes - used, "%s%s()", used ? ", " : "", names->list[i]);
    }
}

void ls_sim_imports_find(const ls_loaded_sim *loaded, ls_sim_imports *imports)
{
    *imports = (ls_sim_imports){0};
    struct link_map *map = NULL;
    dynamic module = {0};
    struct names names = {.count = 0};
    if (!loaded->library || dlinfo(loaded->library, RTLD_DI_LINKMAP, &map) != 0)
        return;
    read_dynamic(map, &module);
    if (!module.symbols || !module.strings)
        return;
    find_all(loaded->library, &module, &names, imports);
    print_names(&names, imports->names, sizeof imports->names);
}
