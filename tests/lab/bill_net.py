import socket, threading, select, os
s=socket.socket(); s.bind(('127.0.0.1',0)); s.listen(50); port=s.getsockname()[1]
def serve():
    ep=select.epoll(); ep.register(s.fileno(), select.EPOLLIN); conns={}; done=0
    while done<40:
        for fd,ev in ep.poll():
            if fd==s.fileno():
                c,_=s.accept(); conns[c.fileno()]=c; ep.register(c.fileno(), select.EPOLLIN)
            else:
                d=conns[fd].recv(4096)
                if d: conns[fd].send(d)
                else: ep.unregister(fd); conns.pop(fd).close(); done+=1
t=threading.Thread(target=serve); t.start()
for i in range(40):
    c=socket.create_connection(('127.0.0.1',port))
    for k in range(5): c.send(b'x'*100); c.recv(4096)
    c.close()
t.join()
