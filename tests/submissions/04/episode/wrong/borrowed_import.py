# expects: course's own
from siamese_course.batching.episodes import draw_episode
