/* Linked with --wrap=pthread_create into every test that ls_test_threads() does not name: it ends
 * the test if the test starts a thread. */
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
