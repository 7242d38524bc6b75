const escapeSequences = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[@-Z\\-_]/g;
const controlCharacters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text of others without terminal escapes, control characters, and marks that change the direction of what follows. */
export const plainText = (text: string): string =>
  text.replace(escapeSequences, '').replace(controlCharacters, '\ufffd');

/** What a terminal shows of a line in the end: programs write progress over what they wrote before. */
export const terminalLine = (line: string): string => plainText(line.replace(/\r+$/, '').replace(/^.*\r/s, ''));
