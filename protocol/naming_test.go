package protocol

import "testing"

// Names of people in their own scripts and emoji stay as they are.
func TestNamesStay(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"Ada", "Ada of the mill", " Ada ", "...", "7", "O'Brien-Müller", "Zoe\u0308", "Ƭ̵̬̊", "李小明", "山田\u3000太郎", "葛\U000E0100城",
		"김철수", "ﾊﾝｶｸ", "محمد", "علی\u200cرضا", "می\u200cخواهم", "שָׁלוֹם", "அருண்", "ഉണ്ണികൃഷ്ണന്\u200d", "ക്\u200dഷ", "শ্\u200cরী", "র\u200d্যাব",
		"ශ්\u200dරී", "ขวัญ", "ဇော်", "ᠮᠣᠩᠭᠣᠯ\u180e\u180b", "Ελένη", "Ирина", "ነጋሽ", "🦊", "❤\ufe0f", "1\ufe0f\u20e3", "‼\ufe0f", "ℹ\ufe0f",
		"👩\u200d👩\u200d👧", "🏳\ufe0f\u200d🌈", "👨🏽\u200d💻", "🏴\u200d☠\ufe0f", "👁\ufe0f\u200d🗨\ufe0f", "🙂\u200d↔\ufe0f", "🇩🇪", "\U0001FAE9", "\U0001FADC",
		"🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F", "Ada 🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F!", "a\u00a0b", "\u0600١٢",
	} {
		if clean, visible := cleanName(name); clean != name || !visible {
			t.Errorf("%+q becomes %+q, visible %v", name, clean, visible)
		}
	}
}

// Characters that nobody sees, or that change the text around them, are removed.
func TestNamesAreCleaned(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"\u202eadA": "adA", "\x1b[31mAda": "[31mAda", "a\nb": "a b", "Researcher\n": "Researcher", "\tAda": "Ada", "a\x00b": "ab", "a\u0085b": "a b", "a\u2028b": "a b",
		"A\u200bda": "Ada", "A\u200dda": "Ada", "A\u200cda": "Ada", "Ada\u200d": "Ada", "\u200dAda": "Ada", "علی\u200c": "علی", "ع\u200c\u200cر": "ع\u200cر",
		"Ad\ufe0fa": "Ada", "Ada\ufeff": "Ada", "🦊\u200d": "🦊", "🦊\u200dA": "🦊A", "🦊\u200c🦊": "🦊🦊", "❤\ufe0f\ufe0f": "❤\ufe0f", "🏽\ufe0f": "🏽",
		"A\u2066da\u2069": "Ada", "A\u061cda": "Ada", "A\u200eda": "Ada", "A\u00adda": "Ada", "A\u2060da": "Ada", "A\u180eda": "Ada", "A\u034fda": "Ada",
		"A\u115f\u1160\u3164\uffa0da": "Ada", "A\u2800da": "Ada", "A\U000E0061da": "Ada", "🏴\U000E0067\U000E0062": "🏴", "🦊\U000E0067\U000E007F": "🦊",
		"A\ue000da": "Ada", "A\U000F0000da": "Ada", "A\u0378da": "Ada", "A\uffffda": "Ada", "\u0301Ada": "Ada", "A\ufff9da": "Ada", "A\U0001D159da": "Ada",
		"A\ufffcda": "Ada", "A\U000E0101da": "Ada", "A\u206fda": "Ada",
	} {
		if clean, visible := cleanName(name); clean != want || !visible || ValidName(name) {
			t.Errorf("%+q becomes %+q, want %+q; visible %v", name, clean, want, visible)
		}
	}
}

func TestInvisibleNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"", " ", "\u00a0", "\u3000", "\u200b", "\u200c", "\u200d", "\ufeff", "\u3164", "\u115f", "\u1160", "\uffa0", "\u2800", "\u0301", "\u0301\u0302", "\u20dd",
		"\U000E0041", "\U000E0001", "\ufe0f", "\U000E0100", "\u202e", "\u2066\u2069", "\ue000", "\u0378", "\n", "\x1b", "\x7f", "\u0080", "\u00ad", "\u2060", "\u180b", "\u180e",
		"\U0001D159", "\U00013441", "\U00016FE4", " \u200b\u3164 ", "\u034f", "\u17b4", "\u2028", "\ufff9", "\ufffc", "\ufffd", "\U0010FFFD",
	} {
		if clean, visible := cleanName(name); visible || ValidName(name) {
			t.Errorf("%+q is visible as %+q", name, clean)
		}
	}
}
