/* Whether a sanitizer manages memory: gcc defines macros, clang has __has_feature. */
#ifndef SANITIZER_H
#define SANITIZER_H

#ifdef __has_feature
#define HAS_SANITIZER (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif

#endif
