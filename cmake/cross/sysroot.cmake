# A toolchain file for the whole tree: a machine whose libraries scripts/matrix-sysroot has unpacked. Tests run in qemu.
#   -DLOCKSTEP_MACHINE=aarch64     the processor, as the compiler and qemu call it
#   -DLOCKSTEP_SYSROOT=FOLDER
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${LOCKSTEP_MACHINE})
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LOCKSTEP_MACHINE LOCKSTEP_SYSROOT)
set(triple ${LOCKSTEP_MACHINE}-linux-gnu)
set(CMAKE_C_COMPILER ${triple}-gcc)
set(CMAKE_SYSROOT ${LOCKSTEP_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${LOCKSTEP_SYSROOT}/usr/lib/${triple}/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${LOCKSTEP_SYSROOT})
# A library's own libraries are found there too; -L alone is for those that are named.
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,-rpath-link,${LOCKSTEP_SYSROOT}/usr/lib/${triple})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${LOCKSTEP_MACHINE}-static -L ${LOCKSTEP_SYSROOT})
