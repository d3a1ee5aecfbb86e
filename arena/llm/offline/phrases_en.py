"""The English wordings of a simulated speaker, by place in a speech, plainest first."""

from __future__ import annotations

from collections.abc import Mapping

PHRASES: Mapping[str, tuple[str, ...]] = {
    "stance_pro": ("supports",),
    "stance_con": ("opposes",),
    "open": (
        "We speak for {side}, and {side} {stance} the motion “{motion}”.",
        "Honourable judges, {side} {stance} the motion “{motion}”.",
        "The question before us is “{motion}”, and on it {side} takes a clear position: "
        "our side {stance} it.",
        "Good evening. {side} {stance} the motion “{motion}”, and we will say why in order.",
        "“{motion}”: these words decide more than they seem to, and {side} {stance} them.",
        "Few questions divide people as quickly as “{motion}”; {side} {stance} it for reasons "
        "that can be checked.",
        "Strip away the slogans around “{motion}” and a practical question remains, on which the "
        "reasons are unevenly divided: {side} {stance} the motion.",
    ),
    "define": (
        "We read the words of the motion in their ordinary sense.",
        "By the terms of the motion we mean what an informed citizen would mean by them.",
        "We take the motion as it is normally understood, neither at its weakest nor at its most "
        "extreme.",
        "The motion is to be judged by what happens in typical cases, not in curiosities.",
    ),
    "slide": (
        "The background is agreed: {slide}",
        "We start from the common ground of this debate: {slide}",
        "As the background to this motion notes: {slide}",
    ),
    "criterion": (
        "Our criterion is simple: which side is better supported once benefits and harms are "
        "counted?",
        "The standard should be the effect on the people who have to live with the answer.",
        "Judge the two sides by what the best available evidence makes likely.",
        "The measure we propose is the balance of lasting gains and losses, fairly distributed.",
        "Whoever shows the larger and the more certain effect should carry this debate.",
    ),
    "lead": (
        "Our {ordinal} argument is this: {claim}",
        "{Ordinal}, consider the following: {claim}",
        "The {ordinal} reason we offer: {claim}",
        "A {ordinal} point deserves attention: {claim}",
        "Turn to the {ordinal} ground of our case: {claim}",
        "Our {ordinal} argument goes to the heart of the matter: {claim}",
    ),
    "ordinals": ("first", "second", "third", "fourth", "fifth", "sixth"),
    "cite": (
        "The evidence says: “{support}” ({origin}) [{number}].",
        "This is documented: “{support}” ({origin}) [{number}].",
        "The source is {origin}: “{support}” [{number}].",
        "Here is what was found, according to {origin}: “{support}” [{number}].",
        "Nor is this a guess, because the record reads: “{support}” ({origin}) [{number}].",
        "Anyone who doubts it may look at {origin}, where it is written: “{support}” [{number}].",
    ),
    "remember": (
        "The reason is clear. {support}",
        "This is well known. {support}",
        "Experience bears this out. {support}",
        "There is evidence behind this. {support}",
        "The mechanism is no mystery. {support}",
        "That is more than an assertion, because the facts point the same way. {support}",
    ),
    "impact": (
        "That is why this point counts for us.",
        "This matters because real people bear the consequences.",
        "Under our criterion, therefore, such an effect weighs heavily.",
        "Remove this consideration and the other side's picture looks tidier than the world is.",
        "Moreover, the effect does not fade after a season; it accumulates.",
        "As a result, the burden now lies with those who would deny it.",
        "No rhetoric makes such a consequence disappear.",
        "In short, the choice is hardly balanced once this is seen.",
    ),
    "anticipate": (
        "{opponent} may point to a contrary finding, “{support}” [{number}], but one result of "
        "that kind leaves our reasons standing.",
        "We know the finding that {opponent} is likely to stress, namely “{support}” "
        "[{number}]; however, it speaks to a part of the question and not to the whole.",
    ),
    "close": (
        "For these reasons {side} {stance} the motion.",
        "Taken together, these arguments show why {side} {stance} the motion.",
        "Each of these points would be enough to give pause; together they explain why {side} "
        "{stance} the motion.",
        "On definition, on criterion and on substance the case holds, and so {side} {stance} the "
        "motion.",
        "We ask you to judge by what was shown, and on that basis {side} {stance} the motion.",
    ),
    "filler": (
        "This is very important.",
        "We think that this is very important.",
    ),
    "rebut_open": (
        "We now answer what {opponent} has said on “{motion}”.",
        "{opponent} has made its case on “{motion}”; here is what is wrong with it.",
        "Listening to {opponent}, one might think the matter settled, yet its case rests on steps "
        "that do not hold.",
        "Let us take the words of {opponent} seriously enough to test them one by one.",
        "A case is only as strong as its weakest link, and {opponent} has left several exposed.",
    ),
    "they_say": (
        "{opponent} said: “{fragment}”.",
        "They told us the following: “{fragment}”.",
        "Take the claim “{fragment}”.",
        "Then there is their assertion that reads “{fragment}”.",
        "{opponent} leans on this sentence: “{fragment}”.",
        "Much was made of the point “{fragment}”.",
    ),
    "counter": (
        "But this does not prove what it is meant to prove.",
        "However, no evidence ties that claim to the conclusion they need.",
        "Yet this mistakes what happens at the same time for what causes it.",
        "But the point ignores those on whom the costs would fall.",
        "Even if it were true, it would describe a part of the picture and not the whole.",
        "In fact the same observation fits our side at least as well.",
        "However, it overlooks how people adapt once circumstances change.",
        "But an isolated case cannot carry a general rule.",
        "The inference fails, because a milder remedy would bring the same benefit.",
    ),
    "against": (
        "Against it stands this: {claim}",
        "What they leave out is the following: {claim}",
        "The stronger consideration is ours: {claim}",
        "By contrast, this much is known: {claim}",
    ),
    "so_what": (
        "So this part of their case falls.",
        "Without that step the rest does not follow; indeed, little of it is left.",
        "Consequently, their conclusion lacks the support it needs.",
        "Because of this, the point turns in our favour.",
    ),
    "rebut_close": (
        "Our own arguments stand, and {side} still {stance} the motion.",
        "What remains after this is the case we made at the start, and it is why {side} {stance} "
        "the motion.",
        "Our reasons have not been answered, whereas theirs have been tested; {side} {stance} the "
        "motion.",
    ),
    "sum_open": (
        "This debate on “{motion}” came down to a few questions.",
        "Looking back on “{motion}”, the exchange turned on a small number of clashes.",
        "Both sides have spoken on “{motion}”, and the disagreement can now be drawn in a few "
        "lines.",
        "What has this debate on “{motion}” decided? We see it by its battlegrounds.",
    ),
    "clash": (
        "The {ordinal} battleground: we argued “{ours}”, and they answered with “{theirs}”.",
        "On the {ordinal} question they held that “{theirs}”, while we showed that “{ours}”.",
        "{Ordinal}, set “{ours}” beside their claim that “{theirs}”.",
    ),
    "clash_ours": (
        "The {ordinal} battleground is one we hold alone: “{ours}”.",
        "On the {ordinal} question our argument was “{ours}”, and nothing said since has "
        "removed it.",
    ),
    "again": (
        "The evidence for it was given, but not refuted: “{support}” [{number}].",
        "Our source still stands, although they spoke after it: “{support}” [{number}].",
    ),
    "weigh": (
        "However, our point outweighs theirs, because it reaches more people.",
        "But ours matters more, since its effect is larger and longer lasting.",
        "On balance, our side of this clash is the more likely one, yet theirs was not shown.",
        "Theirs does not vanish, but it is outweighed by a harm that is irreversible.",
        "Weighing the two, the decisive fact is ours; what they describe is smaller, although "
        "real.",
    ),
    "sum_close": (
        "On these grounds {side} {stance} the motion, and we ask for your agreement.",
        "The weight of what was shown lies on one side: {side} {stance} the motion.",
        "When the clashes are added up, the balance is clear, and {side} {stance} the motion.",
    ),
    "queries": (
        "{words} evidence",
        "{words} research findings",
        "arguments about {words}",
        "{words} examples and effects",
    ),
    "found_ours": (
        "These findings support {side}: {numbers}.",
        "{side} can rest its case on {numbers}.",
    ),
    "found_theirs": (
        "{opponent} could use {numbers}.",
        "Evidence on the other side stands in {numbers}, which {opponent} is likely to use.",
    ),
    "found_nothing": ("Nothing that was found bears on the question.",),
    "revised": (
        "There is a further reason: {claim}",
        "We add one more argument: {claim}",
        "One consideration has been missing so far: {claim}",
    ),
}
