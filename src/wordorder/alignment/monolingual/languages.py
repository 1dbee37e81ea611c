"""Detection of the language of a text by its most frequent words."""

from collections import Counter
from collections.abc import Iterable
from string import punctuation

# Words that are common in most texts of a language, by language code. Besides the languages with a
# stemmer (`STEMMERS`), there are languages that would be mistaken for one of these.
_COMMON_WORDS = {
    "ar": "في من على إلى أن عن ما هذا هذه التي الذي مع كان لا لم قد بعد كل أو ثم بين ذلك هو هي",
    "ca": "de la el que en els un les per una amb és del al no es va dels ha com més són aquest "
    "però",
    "cs": "se na je že to do ve za jako by ale po si pro který jsem tak jsou od však která které "
    "byl při také nebo už",
    "da": "og at det er en på til af den for med der de ikke som et har han var jeg sig fra også "
    "men om vi efter blev nu",
    "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch "
    "es an er hat",
    "el": "και το να του της με που την από για είναι τα στο οι των σε δεν τον τη στην ότι",
    "en": "the of and to in is that for it on was with as be by he at are this from not his have "
    "but they we you which an",
    "eo": "la de kaj en estas al ne ke mi li por kun vi ĝi tio sed el ili unu pri kiu oni",
    "es": "de la que el en los se del las un por con no una su para es al lo como más pero sus",
    "et": "ja on ei et see ta oli ka mis kui oma ning või aga kes ma siis nii seda nad",
    "eu": "eta da ez bat du dira dute izan zen ere baina hori egin den egiten beste hau zuen behar",
    "fa": "در به از که این را با است برای آن یک خود تا بر هم ها می شود بود",
    "fi": "ja on ei se että hän oli ovat mutta ole kun joka niin myös sen tai mitä kuin hänen",
    "fr": "de la le et les des en un une du que est dans qui pour il au par sur pas ne plus ce se "
    "avec sont",
    "ga": "an na agus ar is go le do sé bhí ag tá sa de ní faoi",
    "hi": "के में की है और से का को पर ने कि यह हैं एक भी था नहीं कर इस ही",
    "hu": "az és hogy nem is egy van volt meg de ez csak el azt már mint ha vagy pedig még",
    "hy": "են որ մի այս եւ ու էր չի համար հետ նա իր ես մեջ ինչ բայց պետք",
    "id": "yang dan di itu dengan untuk tidak ini dari dalam akan pada juga ke adalah ada saya "
    "karena mereka oleh bisa",
    "it": "di il la che in per un del non una con della le da si sono dei al più ha come nel ma",
    "lt": "ir kad yra su iš tai buvo kaip jis bet ar ne apie per savo už jo nuo taip",
    "ne": "को मा का ले पनि यो हो गर्न भएको छन् एक लागि गरेको थियो भने",
    "nl": "de van het een en in is dat op te zijn met voor niet die er aan ook als om was maar "
    "hij bij ze door naar dan",
    "no": "og det er på som en til av for at med den har de ikke et om jeg var fra han seg men vi "
    "også ble etter nå være",
    "pl": "na się nie do to że jest jak po od za ale przez dla tym co są był które tak",
    "pt": "de que do da em um para com não uma os no se na por mais as dos como mas foi ao",
    "ro": "de și în la cu pe că nu din se un este care pentru mai au fi sunt ca",
    "ru": "не на что он как это по но из за от так его для мы вы было бы",
    "sr": "је да се на су за од са не што као то али из који je da se na su za od sa ne što kao "
    "to ali iz koji",
    "st": "le ho ea ba ka ha hore tsa la se oa tse sa ke bona",
    "sv": "och att det som en på är av för med till den har de inte om ett han men var jag sig "
    "från vi så",
    "ta": "ஒரு என்று மற்றும் இந்த என்ற அவர் இது ஆனால் அந்த அது நான் என உள்ளது தான் போது பல அவர்கள் வேண்டும்",
    "tr": "ve bir bu da de için ile çok ne olarak daha gibi en kadar olan var ama sonra değil ki",
    "yi": "די און אין איז צו דער פון דאס דאָס אַז פֿון מיט ער אויף האט האָט נישט איך",
    "af": "die van en is in het te dat nie om vir met sy hy aan was ook op",
    "bg": "на да се за от не по са ще като че до",
    "gl": "de que do da en un unha para con non os na as se por ao polo",
    "is": "og að er sem það við til en um ekki var hann hún með fyrir eru þetta af",
    "lv": "un ir ar no uz ka par to tas viņš bet kā arī",
    "sk": "na je sa že to do aj ako by za pre ale po od som sú bol ktorý ktoré",
    "sl": "in je na se za da so ki tudi pa bi kot od po ne",
    "uk": "на що не та до за як це його від він для але про",
    "ur": "کے میں کی ہے اور سے کا کو کہ نے پر ہیں",
}
_LANGUAGES = {language: frozenset(words.split()) for language, words in _COMMON_WORDS.items()}

_PUNCTUATION = punctuation + "„“”‚‘’«»‹›…–—¿¡·،؛؟।॥"

# The language with the most common words in a text is accepted if they are at least this share of
# the text, and if those that are not common in the second language occur at least this number of
# times, and this factor more often than those that are common only in the second language.
_MIN_COMMON_SHARE, _MIN_DISTINCTIVE_WORDS, _MIN_LEAD = 0.05, 5, 2


def common_language(lines: Iterable[str]) -> str:
    """Return the language whose common words are most frequent in a text; "" if it is unclear.

    Parameters
    ----------
    lines : iterable of str
        The text; punctuation around words and case are ignored.

    Examples
    --------
    >>> common_language(["Wir trafen uns mit ihnen auf der Straße und nicht in dem Haus."])
    'de'
    >>> common_language(["a b c d"])
    ''
    """
    words = (word.strip(_PUNCTUATION).lower() for line in lines for word in line.split())
    counts = Counter(word for word in words if any(map(str.isalpha, word)))
    counts_by_language = {
        language: {word: counts[word] for word in common_words if word in counts}
        for language, common_words in _LANGUAGES.items()
    }
    first, second = sorted(
        counts_by_language, key=lambda language: -sum(counts_by_language[language].values())
    )[:2]
    distinctive, runner_up_distinctive = (
        sum(
            count
            for word, count in counts_by_language[language].items()
            if word not in counts_by_language[other_language]
        )
        for language, other_language in ((first, second), (second, first))
    )
    is_frequent = sum(counts_by_language[first].values()) >= _MIN_COMMON_SHARE * sum(
        counts.values()
    )
    return (
        first
        if is_frequent
        and distinctive >= max(_MIN_DISTINCTIVE_WORDS, _MIN_LEAD * runner_up_distinctive)
        else ""
    )
