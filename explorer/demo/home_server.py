"""The machine in the hallway cupboard: it hums, it fills up, it is called kiosk."""

import random
from collections.abc import Iterator

from explorer.demo.script import CODEX, DAY, HERMES, HOUR, OPUS, SONNET, DemoSession, edit, read, sh

KIOSK = "/home/ada/kiosk"


def _journal(count: int) -> str:
    """Several hundred lines of a service that cannot find its disk."""
    dice = random.Random(17)
    said = (
        "nextcloud[{pid}]: PHP worker {n} accepted request GET /remote.php/dav/files/ada",
        "kernel: usb 2-1: reset SuperSpeed USB device number {n} using xhci_hcd",
        "nextcloud[{pid}]: cache miss for preview {n}, rendering",
        "restic[{pid}]: scanned {n} files, 0 errors",
        "kernel: EXT4-fs (sdb1): delayed block allocation failed for inode {n} with error 28",
        "nextcloud[{pid}]: could not write chunk {n}: No space left on device",
    )
    rows = []
    for index in range(count):
        clock = f"{3 + index // 240:02}:{index // 4 % 60:02}:{index * 15 % 60:02}"
        text = dice.choice(said).format(pid=dice.randrange(800, 990), n=dice.randrange(10, 99999))
        rows.append(f"{clock} kiosk {text}")
    return "\n".join(rows)


def _tree(count: int) -> str:
    """A long listing of the biggest things on the disk, about 20 KB."""
    dice = random.Random(4)
    places = ("photos", "music", "backups/laptop", "videos/moss", "podcasts", "old/phone")
    sizes = sorted((dice.randrange(40, 9000) for _ in range(count)), reverse=True)
    return "\n".join(
        f"{size}M\t/srv/{dice.choice(places)}/{dice.randrange(2012, 2025)}/item-{dice.randrange(16**6):06x}"
        for size in sizes
    )


def chats() -> Iterator[DemoSession]:
    chat = DemoSession(
        "kiosk: the disk is full again", 4 * DAY + 1.6 * HOUR, cwd=KIOSK, model=OPUS, cost="actual"
    )
    chat.user(
        "kiosk says the disk is full again, nextcloud refuses uploads since three in the morning"
    )
    chat.does(
        sh(
            "ssh kiosk df -h /srv",
            "Filesystem      Size  Used Avail Use% Mounted on\n/dev/sdb1       1.8T  1.8T     0 100% /srv",
        ),
        sh("ssh kiosk journalctl --since 03:00 --no-pager", _journal(480)),
        sh("ssh kiosk 'du -xm /srv | sort -rn | head -540'", _tree(540)),
        say="Three looks at once: how full, since when, and who.",
        thinks="Full disk. The journal tells when it began, du tells who. Both are long; fetch them together.",
    )
    chat.assistant(
        "Found the eater: **`/srv/videos/moss`**, 212 GB of a cat, in 4K, at night. The motion camera in the hallway records whenever she walks past, and she walks past *a lot*.\n\nI suggest:\n\n- keep the newest 14 days,\n- record in 720p,\n- exclude everything below knee height. 🐈"
    )
    chat.user("keep the ten funniest, delete the rest older than 14 days")
    chat.does(sh("ssh kiosk 'find /srv/videos/moss -mtime +14 | wc -l'", "3117"))
    yield chat.assistant(
        "3,107 files deleted, ten kept in `moss/best-of`. 186 GB free. I judged *funny* by sudden vertical movement."
    ).ends()

    chat = DemoSession("Nextcloud upgrade on kiosk", 18 * DAY - 2.1 * HOUR, cwd=KIOSK, model=SONNET)
    chat.user("upgrade nextcloud on kiosk, but prove to me first that the backup can be restored")
    chat.does(
        sh(
            "ssh kiosk restic snapshots --latest 1",
            "ID        Time                 Host   Paths\n8c41d7aa  today 02:00:11       kiosk  /srv/nextcloud",
        )
    )
    chat.does(
        sh(
            "ssh kiosk 'restic restore latest --target /tmp/prove --include nextcloud/config && diff -r /tmp/prove/srv/nextcloud/config /srv/nextcloud/config && echo same'",
            "restoring snapshot 8c41d7aa to /tmp/prove\nsame",
        )
    )
    chat.assistant(
        "Restored from last night and compared: **same**. Now the upgrade, one major version at a time."
    )
    chat.does(
        sh(
            "ssh kiosk 'docker compose pull -q && docker compose up -d && docker compose exec -u www-data app php occ upgrade'",
            "Update successful\nMaintenance mode is kept active",
        )
    )
    chat.does(
        sh(
            "ssh kiosk docker compose exec -u www-data app php occ maintenance:mode --off",
            "Maintenance mode disabled",
        ),
        sh("curl -sI https://cloud.kiosk.example/status.php | head -1", "HTTP/2 200"),
    )
    yield (
        chat.assistant("Done: 29 → 30, no warnings, 200 OK. The cupboard hums contentedly.")
        .user("I heard it. thank you")
        .ends()
    )

    chat = DemoSession(
        "WireGuard from the train",
        37 * DAY + 1.9 * HOUR,
        "cli",
        CODEX,
        cwd=KIOSK,
        branch="main",
        cost="included",
    )
    chat.user("WireGuard connects from the train but nothing loads. handshake is fine")
    chat.does(
        sh(
            "ip link show wg0 | grep mtu",
            "5: wg0: <POINTOPOINT,NOARP,UP> mtu 1420 qdisc noqueue state UNKNOWN",
        ),
        sh("ping -M do -s 1392 -c 1 10.8.0.1", "ping: local error: message too long, mtu=1360", 1),
        thinks="Handshake small, payload large: MTU.",
        place="codex_reasoning_items",
    )
    chat.does(
        edit(
            "wg0.conf",
            "[Interface]\nAddress = 10.8.0.7/24\n",
            "[Interface]\nAddress = 10.8.0.7/24\nMTU = 1320\n",
        )
    )
    yield chat.assistant(
        "The train's network eats 60 bytes of every packet. With `MTU = 1320` it fits, tunnel under tunnel. 🚆"
    ).ends()

    chat = DemoSession(
        "Lights that think they are a disco", 52 * DAY - 0.3 * HOUR, "telegram", HERMES
    )
    chat.user(
        "the hallway lights flash like a disco when the washing machine ends. that was supposed to be ONE blink"
    )
    chat.does(
        read(
            "automations.yaml",
            "- alias: washing done\n  trigger:\n    platform: numeric_state\n    entity_id: sensor.washer_power\n    below: 5\n  action:\n    service: light.turn_on\n    data: {flash: short}\n",
        ),
        thinks="No 'for:' on the trigger: power wobbles around 5 W while the drum rocks.",
        place="reasoning_content",
    )
    yield (
        chat.assistant(
            'The drum rocks for a while at the end, so the power crosses 5 W a dozen times. Add `for: "00:02:00"`. One blink, dignified.'
        )
        .user("Moss misses the disco")
        .assistant("There is a scene `disco` on the wall switch now, double press. For Moss.")
        .ends("idle")
    )

    chat = DemoSession(
        "Write a systemd timer for restic", 95 * DAY + 1.5 * HOUR, cwd=KIOSK, branch="main"
    )
    chat.user(
        "a systemd timer for restic at two in the morning, with a mail if it fails, no cron please"
    )
    yield chat.assistant(
        "```ini\n# restic.timer\n[Timer]\nOnCalendar=*-*-* 02:00\nRandomizedDelaySec=10m\nPersistent=true\n\n[Install]\nWantedBy=timers.target\n```\n\n```ini\n# restic.service\n[Unit]\nOnFailure=mail@%n.service\n\n[Service]\nType=oneshot\nExecStart=/usr/local/bin/backup.sh\nNice=10\n```\n\n`Persistent=true` catches up after a power cut, which in a cupboard with a vacuum cleaner is a matter of time."
    ).ends()

    chat = DemoSession(
        "Photos by year, without losing one", 137 * DAY + 4.4 * HOUR, cwd=KIOSK, model=SONNET
    )
    chat.user(
        "sort 41,000 photos into folders by year and month without losing a single one, python is fine"
    )
    chat.assistant(
        "Copy, verify, only then remove:\n\n```python\nimport hashlib, shutil\nfrom pathlib import Path\n\ndef digest(path: Path) -> str:\n    return hashlib.file_digest(path.open('rb'), 'sha256').hexdigest()\n\nfor photo in sorted(Path('inbox').rglob('*.jpg')):\n    taken = exif_date(photo)\n    target = Path('photos', f'{taken:%Y}', f'{taken:%m}', photo.name)\n    target.parent.mkdir(parents=True, exist_ok=True)\n    shutil.copy2(photo, target)\n    assert digest(photo) == digest(target), photo\n```\n\nTwo files with the same name and different hearts get a suffix, never an overwrite."
    )
    chat.does(
        sh(
            "python sort_photos.py && find photos -type f | wc -l",
            'Traceback (most recent call last):\n  File "sort_photos.py", line 9, in <module>\n    taken = exif_date(photo)\nValueError: no date in IMG_0001.jpg',
            1,
            "exit status 1",
        )
    )
    chat.does(sh("python sort_photos.py --undated keep && find photos -type f | wc -l", "41003"))
    yield chat.assistant(
        "41,003 of 41,003. The 88 without a date are in `photos/undated`; most of them show a thumb."
    ).ends()

    chat = DemoSession(
        "Which disk should I buy", 260 * DAY + 0.7 * HOUR, "telegram", SONNET, cost="unknown"
    )
    chat.user("which disk for kiosk: quiet, 4 TB, does not mind a cupboard at 34 degrees")
    yield (
        chat.later(20)
        .assistant(
            "Quiet and warm means slow and honest: a 5,400 rpm NAS disk, two of them, mirrored. And saw a vent into the cupboard door, that is worth ten degrees."
        )
        .user("vent sawn. Moss now watches the disks")
        .ends("daily")
    )

    chat = DemoSession(
        "Hello from the hallway", 5 * HOUR + 40 * 60, "tui", SONNET, titled=False, cwd=KIOSK
    )
    chat.user("quick one: is kiosk up? I cannot hear it")
    chat.does(
        sh(
            "ssh -o ConnectTimeout=3 kiosk uptime",
            " 10:12:44 up 61 days,  4:02,  1 user,  load average: 0.08, 0.03, 0.01",
        )
    )
    yield chat.assistant(
        "Up for 61 days and bored (load 0.08). It is quiet because nothing is wrong. Enjoy it."
    ).ends("tui_shutdown")
