# Grades a class where bubblewrap is not available: macOS, and Windows without WSL 2. See docs/instructors.md.
#
#   docker build -f docs/grading.Dockerfile -t course-grading .
#   docker run --rm --security-opt seccomp=unconfined --security-opt apparmor=unconfined \
#       --cap-add SYS_ADMIN --cap-add NET_ADMIN --network none \
#       -v "$PWD/class:/grading/class" -v "$PWD/handed_in:/grading/handed_in:ro" \
#       course-grading run /grading/handed_in --out /grading/class
#
# bubblewrap makes namespaces, also of the network, which a container allows only with these options. Submissions get
# none of them: they run inside bubblewrap, without rights and with a filter of system calls of their own.
FROM python:3.12-slim

RUN apt-get update \
    && apt-get install -y --no-install-recommends bubblewrap \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /course
COPY . .
RUN python -m venv /opt/course \
    && /opt/course/bin/pip install --no-cache-dir -c constraints.txt -e ".[instructor]"
ENV PATH=/opt/course/bin:$PATH
ENTRYPOINT ["siamese-course", "grade"]
