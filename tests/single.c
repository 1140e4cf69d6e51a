/* Linked with --wrap=pthread_create into each test that is not known to have threads. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
    (void)thread, (void)attributes, (void)run, (void)argument;
    fputs("this test starts threads: name it in ls_test_threads(), for the thread sanitizer\n",
          stderr);
    abort();
}
