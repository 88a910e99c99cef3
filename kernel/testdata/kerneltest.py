"""jupyter_kernel_test on the Engine of kernel/enginetest: kerneltest.py KERNEL

Every feature is switched on, so a skip is a failure.
"""
import signal
import sys
import unittest

import jupyter_kernel_test

KERNEL = sys.argv.pop(1)


class Test(jupyter_kernel_test.KernelTests):
    kernel_name = KERNEL
    language_name = "go"
    file_extension = ".go"
    code_hello_world = "print hello, world"
    code_stderr = "eprint to stderr"
    completion_samples = [{"text": "displ", "matches": {"display"}}, {"text": "print 😀\ndispl", "matches": {"display"}}]
    complete_code_samples = ["print a", "f {\n}", ""]
    incomplete_code_samples = ["f {", "a {\n\tb {"]
    invalid_code_samples = ["f }"]
    code_page_something = "page some text"
    code_generate_error = "fail boo"
    code_execute_result = [{"code": "result 42", "result": "42"}, {"code": "print a\nresult b", "result": "b"}]
    code_display_data = [
        {"code": "png", "mime": "image/png"},
        {"code": "display image/svg+xml <svg/>", "mime": "image/svg+xml"},
        {"code": "display text/html <b>a</b>", "mime": "text/html"},
        {"code": "display text/markdown # a", "mime": "text/markdown"},
        {"code": "display text/latex $x$", "mime": "text/latex"},
        {"code": 'display application/json {"a":1}', "mime": "application/json"},
    ]
    code_history_pattern = "result 4?"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "display"
    code_clear_output = "print a\nclear"

    def setUp(self):
        """Some tests wait for ever for a reply that does not come."""
        def late(*_):
            raise TimeoutError("no answer in 30 s")
        signal.signal(signal.SIGALRM, late)
        signal.alarm(30)

    def tearDown(self):
        signal.alarm(0)


result = unittest.TextTestRunner(verbosity=2).run(unittest.defaultTestLoader.loadTestsFromTestCase(Test))
print(f"{result.testsRun} tests, {len(result.skipped)} skipped")
sys.exit(not result.wasSuccessful() or bool(result.skipped))
