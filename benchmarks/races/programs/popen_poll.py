import os
import subprocess
import threading


def program() -> None:
    child, codes = subprocess.Popen(["true"]), []
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # the child has exited
    threads = [
        threading.Thread(target=child.wait),
        threading.Thread(target=lambda: codes.append(child.poll())),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes == [0]
