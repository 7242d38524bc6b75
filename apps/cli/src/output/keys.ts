/** What a terminal sends for Ctrl-Z while keys are read. */
const ctrlZ = '\u001a';

/** Calls a listener with each key that is pressed on the terminal, until disposed of. Ctrl-Z suspends as ever. */
export function listenForKeys(listener: (key: string) => void): Disposable {
  const { stdin } = process;
  const onData = (chunk: Buffer): void => {
    for (const key of chunk.toString())
      if (key === ctrlZ) suspend();
      else listener(key);
  };
  const onContinue = (): void => void stdin.setRawMode(true);
  stdin.setRawMode(true).on('data', onData).resume();
  process.on('SIGCONT', onContinue);
  return {
    [Symbol.dispose]: () => {
      process.off('SIGCONT', onContinue);
      stdin.setRawMode(false).off('data', onData).pause();
    },
  };
}

/** The whole job, as a terminal does: a program may have started this one. */
function suspend(): void {
  process.stdin.setRawMode(false);
  process.kill(0, 'SIGTSTP');
}
