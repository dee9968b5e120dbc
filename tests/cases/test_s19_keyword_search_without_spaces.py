"""S19: words alone find what is written in scripts without spaces, in the index as in the query; names, times too."""

from __future__ import annotations

import inspect
from datetime import UTC, datetime

import pytest

import hotpath._plan
import shared.language.indexing
from shared.language import text
from tests.cases.adapter import Words, found_by, said

pytestmark = pytest.mark.usefixtures("no_dense")

SUBJECTS = 30
ABOUT = {
    "ja": (
        "{}の会議は来週に延期されました。",
        (
            "東京 大阪 京都 名古屋 札幌 福岡 神戸 仙台 広島 横浜 "
            "奈良 金沢 長崎 熊本 新潟 静岡 岡山 松山 高松 青森 "
            "秋田 山形 盛岡 水戸 千葉 甲府 長野 岐阜 大津 鳥取"
        ),
    ),
    "th": (
        "วันนี้ฝนตกที่{}ตลอดทั้งวัน",
        (
            "เชียงใหม่ กรุงเทพ ภูเก็ต ขอนแก่น อุดรธานี ระยอง ชลบุรี สงขลา ตรัง พังงา "
            "กระบี่ น่าน แพร่ ลำปาง ตาก เลย สุรินทร์ ยโสธร พิจิตร ชุมพร "
            "ระนอง สตูล ยะลา อยุธยา ลพบุรี สระบุรี นครนายก ตราด จันทบุรี เพชรบุรี"
        ),
    ),
    "ko": (
        "{}에서 열린 회의가 다음 주로 연기되었다",
        (
            "서울 부산 대구 인천 광주 대전 울산 수원 청주 전주 "
            "춘천 강릉 제주 포항 창원 진주 목포 여수 순천 군산 "
            "익산 안동 구미 경주 김해 원주 속초 평택 천안 세종"
        ),
    ),
    "zh": (
        "{}的会议推迟到了下个星期。",
        (
            "北京 上海 广州 深圳 成都 重庆 杭州 南京 武汉 西安 "
            "苏州 天津 长沙 郑州 青岛 大连 宁波 厦门 昆明 合肥 "
            "福州 济南 沈阳 哈尔滨 长春 南宁 贵阳 兰州 太原 海口"
        ),
    ),
    "lo": ("ມື້ນີ້ຝົນຕົກຢູ່{}", "ວຽງຈັນ ຫຼວງພະບາງ ປາກເຊ ສະຫວັນນະເຂດ ທ່າແຂກ ຊຳເໜືອ ໂພນສະຫວັນ ຫຼວງນ້ຳທາ"),
    "km": ("ថ្ងៃនេះភ្លៀងធ្លាក់នៅ{}", "ភ្នំពេញ សៀមរាប បាត់ដំបង កំពត កែប តាកែវ ក្រចេះ រតនគិរី"),
    "my": ("ဒီနေ့{}မှာမိုးရွာတယ်", "ရန်ကုန် မန္တလေး ပုဂံ ပဲခူး မော်လမြိုင် ပုသိမ် တောင်ကြီး မြစ်ကြီးနား"),
}
WANTED = {
    "ja": "冷蔵庫の修理は金曜日です。型番はKX-204。",
    "th": "แมวชื่อโมจิชอบปลาทู",
    "ko": "사무실 비밀번호는 창고에 있다",
    "zh": "冰箱的维修安排在星期五，型号是KX-204。",
    "lo": "ແມວຊື່ໂມຈິມັກກິນປາທູ",
    "km": "ឆ្មាឈ្មោះម៉ូជីចូលចិត្តត្រី",
    "my": "ကြောင်လေးနာမည်က မိုချီဖြစ်တယ်",
}
QUERIES = [
    ("ja", "修理"),
    ("ja", "型番 KX-204"),
    ("th", "ปลาทู"),
    ("ko", "비밀번호"),
    ("ja", "冷蔵庫の修理はいつですか"),
    # Others of the kind: other scripts, a question, a particle, another width, a kanji alone, an inflected noun.
    ("ja", "ＫＸ－２０４"),
    ("ja", "ﾚｲｿﾞｳｺ 冷蔵庫"),
    ("ja", "kx-204は何の型番?"),
    ("th", "แมวชื่ออะไร"),
    ("th", "โมจิชอบกินอะไร"),
    ("ko", "비밀번호가 어디에 있어?"),
    ("ko", "창고"),
    ("zh", "维修"),
    ("zh", "冰箱什么时候维修？"),
    ("zh", "型号 kx-204"),
    ("lo", "ປາທູ"),
    ("km", "ឆ្មាឈ្មោះអ្វី"),
    ("my", "ကြောင်လေး"),
]


@pytest.fixture
def stores(words: Words) -> Words:
    """A user for each language, with one memory that is wanted among those that are not."""
    for language, (form, subjects) in ABOUT.items():
        others = [said(form.format(subject), f"o{n}") for n, subject in enumerate(subjects.split())]
        middle = len(others) // 2
        messages = [*others[:middle], said(WANTED[language], "wanted"), *others[middle:]]
        words.ingest("acme", language, "run-1", messages)
        assert len(words.current("acme", language)) == len(messages)
    return words


def test_s19_words_alone_put_the_right_memory_first_in_each_script(stores: Words) -> None:
    for language, query in QUERIES:
        bundle = stores.bundle("acme", language, query, explain=True)
        assert bundle.degraded == ("dense",), "the arm of meaning must be off, or it could have found it"
        first = stores.recall("acme", language, query)[0]
        assert first.text == WANTED[language], query
        (explained,) = [item.scores for item in bundle.items if item.text == first.text]
        assert explained["words"] > 0, query


def test_s19_what_no_memory_says_finds_nothing(stores: Words) -> None:
    for language, query in (("ja", "猿"), ("th", "ฟุตบอล"), ("ko", "축구"), ("zh", "足球"), ("ja", "の")):
        assert stores.recall("acme", language, query) == [], query


def test_s19_the_fresh_tail_finds_them_too(words: Words) -> None:
    for language, text_ in WANTED.items():
        words.accept("acme", language, "run-1", [said(text_, "wanted")])
    for language, query in QUERIES:
        assert [hit.text for hit in words.recall("acme", language, query)] == [WANTED[language]], query


def test_s19_languages_in_one_store_do_not_hide_each_other(words: Words) -> None:
    everything = [
        *WANTED.values(),
        "The fridge is repaired on Friday, its type is AB-17.",
        "Lodówka jest zepsuta od środy.",
    ]
    words.ingest("acme", "mira", "run-1", [said(each, f"m{n}") for n, each in enumerate(everything)])
    for language, query in QUERIES:
        if query not in (
            "型番 KX-204",
            "ＫＸ－２０４",
            "型号 kx-204",
            "kx-204は何の型番?",
        ):  # two of them name that type
            assert words.recall("acme", "mira", query)[0].text == WANTED[language], query


NAMED = {
    "ja": (
        "「田中太郎」は「桜組」に入った。",
        "毎週土曜、「桜組」が公園を掃除する。",
        "「田中太郎」とは誰ですか",
    ),
    "zh": (
        "“张伟”加入了“春风社”。",
        "每周六“春风社”打扫河边。",
        "“张伟”是谁？",
    ),
    "ko": (
        "“김민수”는 “한빛회”에 가입했다.",
        "토요일마다 “한빛회” 사람들이 공원을 청소한다.",
        "“김민수” 씨가 누구입니까?",
    ),
    "th": (
        "“สมชาย” เข้าร่วม “ชมรมดาว”",
        "“ชมรมดาว” กวาดถนนทุกวันเสาร์",
        "“สมชาย” คือใคร",
    ),
}
"""Who is in what, what that does, and a question after the one, which shares no word with the second."""


def test_s19_names_alone_lead_from_one_memory_to_the_next_in_each_script(stores: Words) -> None:
    for language, (joins, beyond, query) in NAMED.items():
        stores.ingest("acme", language, "run-2", [said(joins, "joins"), said(beyond, "beyond")])
        assert not set(text.query_terms(query)) & set(text.query_terms(beyond)), "words must not lead there"
        assert found_by("graph", "acme", language, query) == {joins, beyond}, query
        both = {hit.text: hit for hit in stores.bundle("acme", language, query, explain=True).items}
        assert both[beyond].scores["graph"] > 0 == both[beyond].scores["words"]


NOON = datetime(2025, 5, 3, 12, tzinfo=UTC)
DATED = {
    "ja": ("猫が屋根に登った。", "昨日は何がありましたか", "今日は何がありましたか"),
    "zh": ("猫爬上了屋顶。", "昨天发生了什么？", "今天发生了什么？"),
    "ko": ("고양이가 지붕에 올라갔다.", "어제 무슨 일이 있었어?", "오늘 무슨 일이 있었어?"),
}
"""What was on 2 May 2025, asked for that day and for the next, by no word of it."""


def test_s19_times_alone_find_what_was_then_in_each_script_that_times_are_read_in(words: Words) -> None:
    for language, (what, yesterday, today) in DATED.items():
        others = [said(ABOUT[language][0].format(n), f"o{n}", ts=f"2025-04-{n + 1:02}T09:00Z") for n in range(20)]
        words.ingest("acme", language, "run-1", [*others, said(what, "wanted", ts="2025-05-02T09:00Z")])
        assert not set(text.query_terms(yesterday)) & set(text.query_terms(what)), "words must not lead there"
        assert found_by("temporal", "acme", language, yesterday, as_of=NOON) == {what}, yesterday
        assert found_by("temporal", "acme", language, today, as_of=NOON) == set(), today
        assert what in {hit.text for hit in words.recall("acme", language, yesterday, as_of=NOON, k=30)}, yesterday


def test_s19_index_and_query_call_one_tokenizer() -> None:
    assert shared.language.indexing.terms is text.terms
    assert hotpath._plan.query_terms is text.query_terms
    assert "terms(" in inspect.getsource(text.query_terms)
    for language, query in QUERIES:
        indexed = shared.language.indexing.indexed(doc=1, session=1, text=WANTED[language], speaker=None, at=None)
        assert set(text.query_terms(query)) & set(indexed.counts), query
