"""Languages told by their commonest words."""

import pytest

from wordorder.alignment.monolingual.candidates import STEMMERS
from wordorder.alignment.monolingual.languages import common_language

SENTENCES = {
    "cs": "Včera jsme se sešli v novém domě, který je na kopci, a také jsme jedli. To byl dobrý "
    "den, protože se nic nestalo, ale po obědě už pršelo.",
    "da": "I går mødtes vi i det nye hus af sten på bakken, og vi spiste også. Det blev sent "
    "efter maden, og nu går jeg fra huset, for regnen viser sig af og til.",
    "de": "Gestern haben wir uns in dem neuen Haus auf dem Hügel getroffen und auch gegessen. "
    "Es ist nicht die Regel, dass der Regen den Tag mit sich bringt.",
    "en": "We met at the new house on the hill, and it was a good day, but it rained in the "
    "evening.",
    "es": "Ayer nos encontramos en la casa nueva que está en el cerro, y comimos con los "
    "amigos. No fue un mal día, pero por la tarde se puso a llover.",
    "fi": "Me tapasimme eilen uudessa talossa, joka on mäellä, ja söimme myös. Se ei ollut "
    "huono päivä, mutta hän sanoi että sen jälkeen on ikävää.",
    "fr": "Hier nous nous sommes rencontrés dans la maison qui est sur la colline, et nous "
    "avons mangé avec les amis. Il ne pleut pas, mais le soir est froid.",
    "hi": "हम कल नए घर में मिले और यह पहाड़ी पर है। उस दिन की बात है कि बारिश भी नहीं थी, एक अच्छा दिन था।",
    "hu": "Tegnap az új házban találkoztunk, és nem volt rossz nap, de az eső után már csak egy "
    "szó volt, hogy meg ez is vagy az.",
    "nl": "Gisteren zagen we elkaar in het nieuwe huis dat op de heuvel staat, en we hebben ook "
    "gegeten. Het was niet een slechte dag, maar de regen is er voor de avond.",
    "no": "I går møttes vi i det nye huset som ligger på bakken, og vi spiste også. Det var en "
    "god dag, men etter maten regnet det av og til, og jeg gikk fra huset mot etter nå av "
    "seg.",
    "pt": "Ontem encontrámos os amigos na casa nova que não é do tio, e com uma refeição foi um "
    "dia para todos, mas ao fim do dia choveu.",
    "ru": "Вчера мы встретились в новом доме, он стоит на холме, и это был не плохой день, но "
    "что из этого вы взяли для него, как мы за ним по лесу шли.",
    "tr": "Dün bir evde buluştuk ve bu çok iyi bir gün oldu ama yağmur daha sonra geldi, ne "
    "olarak değil, için için.",
}


@pytest.mark.parametrize("language", SENTENCES)
def test_a_language_is_told_by_its_commonest_words(language: str) -> None:
    assert common_language([SENTENCES[language]]) == language
    assert STEMMERS[language]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a b c d e o i " * 99,
        "1 2 3 . , ;",
        "Berlin Paris London",
        "그는 어제 도쿄에 갔습니다 .",
        "chúng tôi đã gặp nhau hôm qua ở ngôi nhà mới",
        # As many words of one language as of another.
        "the and that was with from but which " + "der und das ist mit von aber nicht ",
    ],
)
def test_none_is_told_where_none_leads(text: str) -> None:
    assert common_language([text]) == ""


def test_a_neighbour_without_a_stemmer_is_not_taken_for_one_that_has_one() -> None:
    text = "На горі стоїть хата, і як це він не знав, що до хати та від неї для нього про це було"
    assert common_language([text]) not in STEMMERS
