/* Defines which sanitizers this build uses. gcc defines macros for them; clang has
 * __has_feature(). */
#ifndef LS_TESTS_SANITIZER_H
#define LS_TESTS_SANITIZER_H

#if defined(__has_feature)
#define HAS_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#define HAS_THREAD_SANITIZER  __has_feature(thread_sanitizer)
#else
#ifdef __SANITIZE_ADDRESS__
#define HAS_ADDRESS_SANITIZER 1
#else
#define HAS_ADDRESS_SANITIZER 0
#endif
#ifdef __SANITIZE_THREAD__
#define HAS_THREAD_SANITIZER 1
#else
#define HAS_THREAD_SANITIZER 0
#endif
#endif
#define HAS_SANITIZER (HAS_ADDRESS_SANITIZER || HAS_THREAD_SANITIZER)

#endif
