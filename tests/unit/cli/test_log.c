#include "cli/common/log.h"
#include "test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

/* A log on a pipe with a reader that does not read yet. */
typedef struct fixture {
    test_folder folder;
    int reader, file;
    ls_log log;
} fixture;

static const char *const names[] = {"log"};

static void begin(fixture *f)
{
    memset(f, 0, sizeof *f);
    test_folder_make(&f->folder);
    const char *path = test_path(&f->folder, names[0]);
    assert_int_equal(mkfifo(path, 0600), 0);
    f->reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(f->reader >= 0);
    assert_ok(ls_log_open(path, &f->log, NULL));
    assert_ok(ls_log_detach(&f->log, NULL));
    f->file = fileno(f->log.stream);
}

static void end(fixture *f)
{
    close(f->reader);
    test_folder_remove(&f->folder, names, LS_COUNT_OF(names));
}

static bool is_open(int file)
{
    return fcntl(file, F_GETFD) >= 0;
}

static int ignore_pipes(void **state)
{
    signal(SIGPIPE, SIG_IGN); /* as the command does */
    return 0;
}

TESTS_AROUND_ALL(ignore_pipes, NULL);

TEST(test_log_closes_its_file)
{
    static fixture f;
    char text[256] = "";
    begin(&f);
    ls_log_line(&f.log, "event number=1");
    assert_ok(ls_log_close(&f.log, LS_OK, NULL));
    assert_false(is_open(f.file));
    assert_true(read(f.reader, text, sizeof text - 1) > 0);
    assert_non_null(strstr(text, "event number=1 time="));
    end(&f);
}

/* Fills the pipe: the next write blocks. */
static void fill(const char *path)
{
    static const char bytes[4096];
    int writer = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(writer >= 0);
    while (write(writer, bytes, sizeof bytes) > 0)
        continue;
    close(writer);
}

/* A thread that was abandoned must not write into the next file that gets its descriptor. */
TEST(test_log_keeps_the_file_of_a_stalled_reader)
{
    static fixture f;
    static ls_async_writer *left; /* stays reachable for the leak checker: its thread still runs */
    begin(&f);
    left = f.log.writer;
    fill(test_path(&f.folder, names[0]));
    ls_log_line(&f.log, "event number=1");
    assert_ok(ls_log_close(&f.log, LS_OK, NULL));
    assert_non_null(left);
    assert_true(is_open(f.file));
    end(&f);
}

/* The exit message names the log that lost lines, unless there was a worse failure. */
TEST(test_log_reports_lost_lines)
{
    for (int i = 0; i < 4; i++) {
        ls_log log;
        ls_error error = {"worse"};
        ls_status before = i & 2 ? LS_ERROR_DIVERGED : LS_OK;
        assert_ok(ls_log_open("/dev/full", &log, NULL));
        if (i & 1)
            assert_ok(ls_log_detach(&log, NULL));
        ls_log_line(&log, "event number=1");
        assert_int_equal(ls_log_close(&log, before, &error), before ? before : LS_ERROR_IO);
        assert_true(before ? strcmp(error.text, "worse") == 0
                           : strstr(error.text, "the log /dev/full is incomplete") != NULL);
    }
    ls_log none = {0};
    assert_ok(ls_log_close(&none, LS_OK, NULL));
}

TEST(test_log_level_leaves_out_routine)
{
    static fixture f;
    char text[1024] = "";
    begin(&f);
    ls_log_set_level(&f.log, LS_LOG_PROBLEMS);
    ls_log_line(&f.log, "enter tick=1");
    ls_log_line(&f.log, "entered tick=1");
    ls_log_line(&f.log, "end");
    ls_log_line(&f.log, "desync tick=1");
    ls_log_set_level(&f.log, LS_LOG_ALL);
    ls_log_line(&f.log, "leave tick=2");
    assert_ok(ls_log_close(&f.log, LS_OK, NULL));
    assert_true(read(f.reader, text, sizeof text - 1) > 0);
    assert_non_null(strstr(text, "entered tick=1"));
    assert_non_null(strstr(text, "desync tick=1"));
    assert_non_null(strstr(text, "leave tick=2"));
    assert_null(strstr(text, "enter tick=1"));
    assert_null(strstr(text, "end time="));
    end(&f);
}

/* Only a file can be rotated. */
TEST(test_log_of_a_limit_is_a_file)
{
    static const char *const paths[] = {"-", "/dev/null"};
    for (size_t i = 0; i < LS_COUNT_OF(paths); i++) {
        ls_log log;
        ls_error error;
        assert_ok(ls_log_open(paths[i], &log, NULL));
        log.bytes_max = LS_ASYNC_WRITER_FILE_BYTES_MIN;
        assert_int_equal(ls_log_detach(&log, &error), LS_ERROR_USAGE);
        assert_non_null(strstr(error.text, i ? "/dev/null; give --log FILE" : "on stderr; give"));
        assert_ok(ls_log_close(&log, LS_OK, NULL));
    }
}
