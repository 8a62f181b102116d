import threading, queue
q=queue.Queue(4)
def w():
    for i in range(300): q.put(i)
ts=[threading.Thread(target=w) for _ in range(4)]
[t.start() for t in ts]
for i in range(1200): q.get()
[t.join() for t in ts]
