from os import PathLike

from edgewise import calibrate as calibrate
from edgewise import datasets as datasets
from edgewise import errors as errors
from edgewise import integrations as integrations
from edgewise import methods as methods
from edgewise import simulate as simulate
from edgewise import states as states
from edgewise._version import __version__ as __version__
from edgewise.api.accumulate import accumulate as accumulate
from edgewise.api.compare_groups import compare_groups as compare_groups
from edgewise.api.compare_methods import compare_methods as compare_methods
from edgewise.api.confidence_sequence import ConfidenceSequence as ConfidenceSequence
from edgewise.api.diagnose import diagnose as diagnose
from edgewise.api.edge_test import edge_test as edge_test
from edgewise.api.edge_test_within import edge_test_within as edge_test_within
from edgewise.api.estimator import EdgeTest as EdgeTest
from edgewise.api.null import check_null as check_null
from edgewise.api.pair import ConditionalTest as ConditionalTest
from edgewise.api.pair import partial_test as partial_test
from edgewise.api.plan import detectable_effect as detectable_effect
from edgewise.api.plan import plan_sample_size as plan_sample_size
from edgewise.api.pool import pool as pool
from edgewise.paper.covcov import covariance_of_covariance as covariance_of_covariance
from edgewise.results.result import EdgeTestResult as EdgeTestResult
from edgewise.tables.open import open_table as open_table

def load_state(
    path: str | PathLike[str],
) -> (
    states.Moments
    | states.BatchMoments
    | states.ConcordanceMoments
    | states.PairwiseMoments
    | ConfidenceSequence
): ...
