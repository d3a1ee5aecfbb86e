"""Choices in the address of a page: they come from it, go into it, and survive a change of page."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def page_of_lists() -> None:
    """Show a list of colours, one of the others, and a switch."""
    import streamlit as st

    from dashboard.addresses import choose, switch

    colours = ["red", "green", "blue"]
    first = choose(st.container(), "Colour", colours, "colour")
    others = [name for name in colours if name != first]
    second = choose(st.container(), "Other", others, "other", explicit=True)
    size = switch(st.container(), "Size", ["small", "large"], "size", str.capitalize)
    st.text(f"{first} {second} {size}")


def page_asked_for_early() -> None:
    """Show a list, then a switch in a part that was asked for before the list's choice was made."""
    import streamlit as st

    from dashboard.addresses import begin_address, choose, switch

    begin_address()
    choose(st.container(), "Colour", ["red", "green"], "colour")
    st.query_params.pop("colour", None)
    switch(st.container(), "Size", ["small", "large"], "size", str.capitalize)


def shown(app: AppTest) -> str:
    assert not app.exception
    return str(app.text[0].value)


def address(app: AppTest) -> dict[str, str]:
    return {
        key: value if isinstance(value, str) else value[0]
        for key, value in app.query_params.items()
    }


def test_the_address_chooses_and_has_what_is_chosen() -> None:
    app = AppTest.from_function(page_of_lists, default_timeout=60)
    app.query_params.update({"colour": "green", "size": "Large", "other": "mauve"})
    assert shown(app.run()) == "green red large", "a label is as good as a name, nonsense is not"
    assert address(app) == {"colour": "green", "other": "red", "size": "large"}
    assert shown(app.selectbox[0].select("red").run()) == "red green large"
    assert address(app) == {"other": "green", "size": "large"}, "the default is left out"


def page_with_notices() -> None:
    """Show a list and a switch, and what the address asks for in vain."""
    import streamlit as st

    from dashboard.addresses import begin_address, choose, show_notices, switch

    begin_address()
    choose(st.container(), "Colour", ["red", "green"], "colour", explicit=True, noun="paint")
    switch(st.container(), "Size", ["small", "large"], "size", str.capitalize)
    show_notices()


def test_a_name_that_does_not_exist_is_said_until_something_is_chosen() -> None:
    app = AppTest.from_function(page_with_notices, default_timeout=60)
    app.query_params.update({"colour": "[m](http://x)", "size": "huge"})
    app.run()
    assert [each.value for each in app.warning] == [
        "There is no paint “\\[m\\]\\(http\\:\u2060//x\\)” to show here; “red” is shown instead\\.",
        "There is no size “huge” to show here; “Small” is shown instead\\.",
    ]
    assert address(app) == {"colour": "red"}
    assert len(app.run().warning) == 2, "it stays when the page is drawn again"
    assert len(app.selectbox[0].select("green").run().warning) == 1
    assert len(app.selectbox[0].select("red").run().warning) == 1
    app.query_params["size"] = "large"
    assert len(app.run().warning) == 0


def test_a_new_address_wins_over_what_was_chosen() -> None:
    app = AppTest.from_function(page_of_lists, default_timeout=60).run()
    assert shown(app) == "red green small"
    app.query_params["colour"] = "blue"
    assert shown(app.run()) == "blue green small"
    del app.query_params["colour"]
    assert shown(app.run()) == "red green small"


def page_of_tournaments() -> None:
    """Show the list of two tournaments, the newer one first."""
    import streamlit as st

    from dashboard.addresses import choose

    st.text(choose(st.container(), "Tournament", ["newer", "older"], "tournament", explicit=True))


def test_a_link_that_names_no_tournament_keeps_the_one_that_is_looked_at() -> None:
    app = AppTest.from_function(page_of_tournaments, default_timeout=60)
    app.query_params["tournament"] = "older"
    assert shown(app.run()) == "older"
    for _ in range(3):
        del app.query_params["tournament"]
        assert shown(app.run()) == "older"
        assert address(app) == {"tournament": "older"}
    assert shown(app.selectbox[0].select("newer").run()) == "newer"


def test_a_choice_survives_a_part_of_the_page_that_was_asked_for_before_it() -> None:
    app = AppTest.from_function(page_asked_for_early, default_timeout=60)
    app.query_params.update({"colour": "green", "size": "large"})
    app.run()
    assert not app.exception
    assert address(app) == {"colour": "green", "size": "large"}


def page_drawn_in_parts() -> None:
    """Draw a list as a whole page first, and as a part of it in all later runs."""
    import streamlit as st

    from dashboard.addresses import begin_address, choose

    if "begun" not in st.session_state:
        begin_address()
        st.session_state["begun"] = True
    st.text(choose(st.container(), "Colour", ["red", "green"], "colour"))


def test_a_part_that_is_drawn_after_the_viewer_left_writes_nothing_into_the_next_address() -> None:
    app = AppTest.from_function(page_drawn_in_parts, default_timeout=60)
    app.query_params["colour"] = "green"
    assert shown(app.run()) == "green"
    app.query_params.clear()
    app.query_params["side"] = "con"  # the address of the page that the viewer went to
    assert shown(app.run()) == "green", "that address says nothing of this list"
    assert address(app) == {"side": "con"}
    assert shown(app.selectbox[0].select("red").run()) == "red"
    assert shown(app.selectbox[0].select("green").run()) == "green"
    assert address(app) == {"colour": "green", "side": "con"}, "what is chosen is written"
