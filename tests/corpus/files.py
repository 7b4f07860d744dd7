"""All single files of the corpus; files that are read together are in test_several_files.py."""

from __future__ import annotations

from tests.corpus.other_files import OTHER_FILES
from tests.corpus.text_files import TEXT_FILES
from tests.corpus.text_refused import TEXT_REFUSED

FILES = {**TEXT_FILES, **TEXT_REFUSED, **OTHER_FILES}
