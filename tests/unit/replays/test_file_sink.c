#include "sample.h"
#include <lockstep/file_sink.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file gets its name at the first sync; without a sync no file remains. */
TEST(test_file_sink_publishes_at_first_sync)
{
    char directory[64], path[128];
    struct stat facts;
    ls_sink sink;
    test_directory_make(directory);
    snprintf(path, sizeof path, "%s/a.lsr", directory);
    assert_ok(ls_file_sink_create(path, &sink, NULL));
    assert_int_equal(sink.append(sink.context, "head", 4), 4);
    assert_int_not_equal(stat(path, &facts), 0);
    assert_int_equal(sink.sync(sink.context), 0);
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_size, 4);
    assert_int_equal(test_directory_count(directory), 1);
    assert_int_equal(sink.append(sink.context, "tail", 4), 4);
    assert_int_equal(sink.sync(sink.context), 0);
    assert_int_equal(sink.close(sink.context), 0);
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_size, 8);

    snprintf(path, sizeof path, "%s/b.lsr", directory);
    assert_ok(ls_file_sink_create(path, &sink, NULL));
    assert_int_equal(test_directory_count(directory), 2);
    assert_int_equal(sink.close(sink.context), 0);
    assert_int_equal(test_directory_count(directory), 1);
    test_directory_remove(directory);
}

TEST(test_file_sink_never_replaces)
{
    char directory[64], path[128], text[8] = {0};
    ls_sink sink, rival;
    test_directory_make(directory);
    snprintf(path, sizeof path, "%s/a.lsr", directory);
    assert_ok(ls_file_sink_create(path, &sink, NULL));
    assert_ok(ls_file_sink_create(path, &rival, NULL));
    assert_int_equal(sink.append(sink.context, "one", 3), 3);
    assert_int_equal(rival.append(rival.context, "two", 3), 3);
    assert_int_equal(sink.sync(sink.context), 0);
    assert_int_equal(rival.sync(rival.context), -EEXIST);
    assert_int_equal(rival.close(rival.context), 0);
    assert_int_equal(sink.close(sink.context), 0);
    int descriptor = open(path, O_RDONLY);
    assert_int_equal(read(descriptor, text, sizeof text), 3);
    assert_string_equal(text, "one");
    close(descriptor);
    assert_int_equal(test_directory_count(directory), 1);
    test_directory_remove(directory);
}

TEST(test_file_sink_passes_leftovers)
{
    char directory[64], path[96], leftover[160];
    ls_sink sink;
    test_directory_make(directory);
    snprintf(path, sizeof path, "%s/a.lsr", directory);
    snprintf(leftover, sizeof leftover, "%s.%ld-0.tmp", path, (long)getpid());
    close(open(leftover, O_CREAT | O_WRONLY, 0600));
    assert_ok(ls_file_sink_create(path, &sink, NULL));
    assert_int_equal(sink.sync(sink.context), 0);
    assert_int_equal(sink.close(sink.context), 0);
    assert_int_equal(test_directory_count(directory), 2);
    test_directory_remove(directory);
}

TEST(test_file_sink_names_the_path_it_cannot_make)
{
    ls_sink sink;
    ls_error error;
    char path[5000];
    assert_int_equal(ls_file_sink_create("/nowhere/at/all/a.lsr", &sink, &error), LS_ERROR_IO);
    assert_non_null(strstr(error.text, "/nowhere/at/all/a.lsr"));
    assert_non_null(strstr(error.text, "No such file"));
    assert_int_equal(ls_file_sink_create("", &sink, &error), LS_ERROR_IO);
    memset(path, 'x', sizeof path);
    path[sizeof path - 1] = 0;
    assert_int_equal(ls_file_sink_create(path, &sink, &error), LS_ERROR_IO);
    assert_true(strlen(error.text) < 200);
}

/* A path without a folder, and one in the root folder: syncing their directory must work. */
TEST(test_file_sink_takes_a_bare_name)
{
    char directory[64], before[4096];
    ls_sink sink;
    test_directory_make(directory);
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(directory), 0);
    assert_ok(ls_file_sink_create("bare.lsr", &sink, NULL));
    assert_int_equal(sink.sync(sink.context), 0);
    assert_int_equal(sink.close(sink.context), 0);
    assert_int_equal(access("bare.lsr", F_OK), 0);
    assert_int_equal(chdir(before), 0);
    test_directory_remove(directory);
}
