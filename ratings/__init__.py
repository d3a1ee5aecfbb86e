"""Ratings from pairwise comparisons: a weighted Bradley-Terry model with tested intervals.

`fit` gives the ratings, `confidence` their intervals and ranks, `bootstrap` resampled ratings;
the other functions describe what the ratings rest on. All ratings are in Elo points around 1000.

>>> from ratings import Comparisons, fit
>>> fit(Comparisons.of(["a", "a", "b"], ["b", "b", "a"], [1, 1, 1])).rating.round().tolist()
[1048.0, 952.0]
"""

from ratings.ballots import BallotCounts, correlate_ballots, count_ballots
from ratings.bootstrap.resampling import Difference, Intervals, bootstrap
from ratings.bootstrap.sequential import SequentialElo, sequential_elo
from ratings.comparisons import Comparisons, Pairing
from ratings.diagnostics.cyclicity import Circle, Cyclicity, cyclicity
from ratings.diagnostics.influence import GroupInfluence, Influence, influence
from ratings.diagnostics.overturning import Overturning, overturn
from ratings.diagnostics.prediction import CalibrationBin, Forecasts, calibration, cross_validate
from ratings.diagnostics.standing import StandingNotes, standing_notes, tally, win_rate
from ratings.errors import (
    InvalidComparisons,
    InvalidSetting,
    NotConverged,
    NotIdentified,
    RatingError,
)
from ratings.gaps import GapModel, gap_model, gaps, rounds_until
from ratings.intervals.clustered import (
    ClusteredMean,
    clustered_mean,
    clustered_share,
    clustered_test,
    interval_level,
    wilson_interval,
)
from ratings.intervals.confidence import (
    Confidence,
    EffectInterval,
    FirstPlace,
    MotionEffect,
    confidence,
    rate_placed,
)
from ratings.intervals.paired import FLIPS, PairedTest, sign_flip_test
from ratings.intervals.targets import (
    Contenders,
    Progress,
    measure_newcomer,
    measure_precision,
    measure_ranking,
    measure_top,
)
from ratings.matrices import PairRates, observed, predicted, score_difference
from ratings.model.bradley_terry import Effect, Ratings, fit
from ratings.model.connectivity import Bridge, Connectivity, connectivity
from ratings.model.terms import PAPER, Model, own_family
from ratings.outcomes import CON_WINS, PRO_WINS, TIE, outcome_of, paper_weight

__all__ = [
    "ClusteredMean",
    "clustered_mean",
    "clustered_share",
    "clustered_test",
    "interval_level",
    "CON_WINS",
    "FLIPS",
    "PAPER",
    "PRO_WINS",
    "TIE",
    "BallotCounts",
    "Bridge",
    "CalibrationBin",
    "Circle",
    "Comparisons",
    "Confidence",
    "Connectivity",
    "Contenders",
    "Cyclicity",
    "Difference",
    "Effect",
    "EffectInterval",
    "FirstPlace",
    "Forecasts",
    "GapModel",
    "GroupInfluence",
    "Influence",
    "Intervals",
    "InvalidComparisons",
    "InvalidSetting",
    "Model",
    "MotionEffect",
    "NotConverged",
    "NotIdentified",
    "Overturning",
    "PairRates",
    "PairedTest",
    "Pairing",
    "Progress",
    "RatingError",
    "Ratings",
    "SequentialElo",
    "StandingNotes",
    "bootstrap",
    "calibration",
    "confidence",
    "connectivity",
    "correlate_ballots",
    "count_ballots",
    "cross_validate",
    "cyclicity",
    "fit",
    "gap_model",
    "gaps",
    "influence",
    "measure_newcomer",
    "measure_precision",
    "measure_ranking",
    "measure_top",
    "observed",
    "outcome_of",
    "overturn",
    "own_family",
    "paper_weight",
    "predicted",
    "rate_placed",
    "rounds_until",
    "score_difference",
    "sequential_elo",
    "sign_flip_test",
    "standing_notes",
    "tally",
    "wilson_interval",
    "win_rate",
]
