import { textFault } from '../../contract/index.ts';
import { MAX_CASE_TEXT_LENGTH } from './limits.ts';

/** Addresses with a scheme, `www.` or a path, and names in common domains. File names such as `history.jsonl` are no links. */
const LINK =
  /[a-z][a-z\d+.-]*:\/\/|\bwww\.|[\p{L}\p{N}-][.\u3002]\p{L}{2,}(?::\d+)?\/|[\p{L}\p{N}-][.\u3002](?:ai|app|biz|cc|cn|co|com|de|dev|eu|gg|gov|info|io|link|ly|me|net|online|org|ru|shop|site|to|top|tv|uk|us|xyz)(?![\p{L}\p{N}-])/iu;

/** The text as it is stored: NFC, with single spaces; or `fault`: why it is refused, as a sentence. */
export function readCaseText(raw: string, subject: string): { readonly text: string } | { readonly fault: string } {
  const text = raw.normalize('NFC').replace(/\s+/g, ' ').trim();
  if (text.length > MAX_CASE_TEXT_LENGTH) {
    return { fault: `${subject} has at most ${MAX_CASE_TEXT_LENGTH} characters; this one has ${text.length}.` };
  }
  const fault = textFault(text, subject);
  if (fault !== null) return { fault };
  const compatible = text.normalize('NFKC');
  const link = LINK.exec(compatible);
  if (link === null) return { text };
  const [word = ''] = compatible.slice(compatible.lastIndexOf(' ', link.index) + 1).split(' ', 1);
  const piece = word.replace(/^[^\p{L}\p{N}/~]+|[^\p{L}\p{N}/]+$/gu, '');
  return { fault: `${subject} has no links; "${piece}" looks like one.` };
}
