"""Words that are no name by themselves, whatever a file says: a chat called “the” must not take
every “the” out of a transcript. Where such a word is the whole of a stored name, it is hidden there
and nowhere else."""

_WORDS = """
    a about after again agent agents ai all alle also am an and any api app april are art as ask
    assistant at august back be been before bill bluebubbles bob bot bots but by call can
    channel channels chase chat chats class cli code cron daily data date dear december default
    demo deploy der dev did die direct discord dm do docs does done down drew el email end error
    every example faith false family february file files first fix for forum friday friends from
    general get git good grace grant group groups had has have he hello help her here hermes hi
    him his home hope how http https i if in info into is it its january joy july june just key
    know la last les like local log logs mail main make march mark matrix may me message
    messages model monday more most mr mrs ms my name new news no none not note notes november
    now null october of off ok old on one only ops or other our out over own page people photo
    please post private project public random read reply rest rich rose run saturday see self
    send september session set she shop should show signal sky slack sms so some source spam
    start state stop subagent sun sunday support system task team telegram test tests text than
    thank thanks that the their them then there they this thread thursday time title to today
    tool tools topic true tuesday two undefined until up update us use user users very was we
    web webhook wednesday week welcome well were what whatsapp when where which who why will
    with work would write yes you your
"""
EVERYDAY = frozenset(_WORDS.split())

_ALSO_NAMES = """
    account admin alarm alert alerts backup band base best black blue board book boss brown bush
    business care case center chef city client clients cloud club coach coffee company computer
    contact cook core crew customer design desk doctor east engineer engineering events fan farm
    field finance fire fish food ford fox free game games garden global gold green guest hall
    head health hill hotel house human hunter king kitchen lab lake lead light list little
    long love major manager market marketing marsh master media meeting miller money moon music
    network north office online open order owner park parker phone pilot plan planning player
    point power price product python queen react real reed remote research rice ring river road
    room sales school science security server service services sharp short silver snow south
    staff star status stern stone store storm street strong student studio summer super swift
    taxi tech tester testing trade travel tree turner video walker ward water waters weaver west
    white wild winter wise wolf wood world young
"""
SMALL_WORDS = EVERYDAY.union(_ALSO_NAMES.split())
"""Words that are no name in small letters: “Miller” may be one, “miller” is a word."""
