"""Ratings from pairwise comparisons: a weighted Bradley-Terry model with tested intervals.

`fit` gives the ratings, `confidence` their intervals and ranks, `bootstrap` resampled ratings;
the other functions describe what the ratings rest on. All ratings are in Elo points around 1000.

>>> from ratings import Comparisons, fit
>>> fit(Comparisons.of(["a", "a", "b"], ["b", "b", "a"], [1, 1, 1])).rating.round().tolist()
[1048.0, 952.0]
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ratings.ballots import BallotCounts as BallotCounts
    from ratings.ballots import correlate_ballots as correlate_ballots
    from ratings.ballots import count_ballots as count_ballots
    from ratings.comparisons import Comparisons as Comparisons
    from ratings.comparisons import Pairing as Pairing
    from ratings.comparisons import PlanProgress as PlanProgress
    from ratings.diagnostics.cyclicity import Circle as Circle
    from ratings.diagnostics.cyclicity import CircleTest as CircleTest
    from ratings.diagnostics.cyclicity import Cyclicity as Cyclicity
    from ratings.diagnostics.cyclicity import PairTest as PairTest
    from ratings.diagnostics.cyclicity import compare_pair as compare_pair
    from ratings.diagnostics.cyclicity import cyclicity as cyclicity
    from ratings.diagnostics.cyclicity import look_for_circles as look_for_circles
    from ratings.diagnostics.influence import GroupInfluence as GroupInfluence
    from ratings.diagnostics.influence import Influence as Influence
    from ratings.diagnostics.influence import influence as influence
    from ratings.diagnostics.overturning import Overturning as Overturning
    from ratings.diagnostics.overturning import overturn as overturn
    from ratings.diagnostics.prediction import CalibrationBin as CalibrationBin
    from ratings.diagnostics.prediction import Forecasts as Forecasts
    from ratings.diagnostics.prediction import calibration as calibration
    from ratings.diagnostics.prediction import cross_validate as cross_validate
    from ratings.diagnostics.standing import StandingNotes as StandingNotes
    from ratings.diagnostics.standing import standing_notes as standing_notes
    from ratings.diagnostics.standing import tally as tally
    from ratings.diagnostics.standing import win_rate as win_rate
    from ratings.errors import InvalidComparisons as InvalidComparisons
    from ratings.errors import InvalidSetting as InvalidSetting
    from ratings.errors import NotConverged as NotConverged
    from ratings.errors import NotIdentified as NotIdentified
    from ratings.errors import RatingError as RatingError
    from ratings.intervals.clustered import ClusteredMean as ClusteredMean
    from ratings.intervals.clustered import clustered_mean as clustered_mean
    from ratings.intervals.clustered import clustered_share as clustered_share
    from ratings.intervals.clustered import clustered_test as clustered_test
    from ratings.intervals.clustered import interval_level as interval_level
    from ratings.intervals.clustered import wilson_interval as wilson_interval
    from ratings.intervals.confidence import Confidence as Confidence
    from ratings.intervals.confidence import EffectInterval as EffectInterval
    from ratings.intervals.confidence import FirstPlace as FirstPlace
    from ratings.intervals.confidence import MotionEffect as MotionEffect
    from ratings.intervals.confidence import confidence as confidence
    from ratings.intervals.confidence import rate_placed as rate_placed
    from ratings.intervals.paired import FLIPS as FLIPS
    from ratings.intervals.paired import PairedTest as PairedTest
    from ratings.intervals.paired import sign_flip_test as sign_flip_test
    from ratings.intervals.targets import Contenders as Contenders
    from ratings.intervals.targets import Progress as Progress
    from ratings.intervals.targets import measure_newcomer as measure_newcomer
    from ratings.intervals.targets import measure_precision as measure_precision
    from ratings.intervals.targets import measure_ranking as measure_ranking
    from ratings.intervals.targets import measure_top as measure_top
    from ratings.matrices import PairRates as PairRates
    from ratings.matrices import observed as observed
    from ratings.matrices import predicted as predicted
    from ratings.matrices import score_difference as score_difference
    from ratings.model.bradley_terry import Effect as Effect
    from ratings.model.bradley_terry import Ratings as Ratings
    from ratings.model.bradley_terry import fit as fit
    from ratings.model.bradley_terry import paper_weight as paper_weight
    from ratings.model.connectivity import Bridge as Bridge
    from ratings.model.connectivity import Connectivity as Connectivity
    from ratings.model.connectivity import connectivity as connectivity
    from ratings.model.terms import PAPER as PAPER
    from ratings.model.terms import Model as Model
    from ratings.model.terms import own_family as own_family
    from ratings.outcomes import CON_WINS as CON_WINS
    from ratings.outcomes import PRO_WINS as PRO_WINS
    from ratings.outcomes import TIE as TIE
    from ratings.outcomes import outcome_of as outcome_of
    from ratings.resampling.bootstrap import Difference as Difference
    from ratings.resampling.bootstrap import Intervals as Intervals
    from ratings.resampling.bootstrap import bootstrap as bootstrap
    from ratings.resampling.sequential import SequentialElo as SequentialElo
    from ratings.resampling.sequential import check_sequential as check_sequential
    from ratings.resampling.sequential import sequential_elo as sequential_elo
    from ratings.score_gaps import GapModel as GapModel
    from ratings.score_gaps import gap_model as gap_model
    from ratings.score_gaps import gaps as gaps
    from ratings.score_gaps import rounds_until as rounds_until

#: The public names by their modules, which are imported at first use: most programs need a few of
#: them, and all together take half a second.
_MODULES: Final = {
    "ballots": "BallotCounts correlate_ballots count_ballots",
    "comparisons": "Comparisons Pairing PlanProgress",
    "diagnostics.cyclicity": "Circle CircleTest Cyclicity PairTest compare_pair cyclicity "
    "look_for_circles",
    "diagnostics.influence": "GroupInfluence Influence influence",
    "diagnostics.overturning": "Overturning overturn",
    "diagnostics.prediction": "CalibrationBin Forecasts calibration cross_validate",
    "diagnostics.standing": "StandingNotes standing_notes tally win_rate",
    "errors": "InvalidComparisons InvalidSetting NotConverged NotIdentified RatingError",
    "intervals.clustered": "ClusteredMean clustered_mean clustered_share clustered_test "
    "interval_level wilson_interval",
    "intervals.confidence": "Confidence EffectInterval FirstPlace MotionEffect confidence "
    "rate_placed",
    "intervals.paired": "FLIPS PairedTest sign_flip_test",
    "intervals.targets": "Contenders Progress measure_newcomer measure_precision measure_ranking "
    "measure_top",
    "matrices": "PairRates observed predicted score_difference",
    "model.bradley_terry": "Effect Ratings fit paper_weight",
    "model.connectivity": "Bridge Connectivity connectivity",
    "model.terms": "PAPER Model own_family",
    "outcomes": "CON_WINS PRO_WINS TIE outcome_of",
    "resampling.bootstrap": "Difference Intervals bootstrap",
    "resampling.sequential": "SequentialElo check_sequential sequential_elo",
    "score_gaps": "GapModel gap_model gaps rounds_until",
}
_HOMES: Final = {name: module for module, names in _MODULES.items() for name in names.split()}


if not TYPE_CHECKING:  # so that a misspelt name is found

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(_HOMES)
