import { MemoryRunner } from './memory-runner.ts';
import { testRunner } from './runner-contract.ts';

const template = (...args: string[]) => ({ container: { image: 'x', args } });

testRunner('in memory', () => ({
  runner: new MemoryRunner(({ action }) => {
    const [name, value = ''] = action.template.container?.args ?? [];
    if (name === 'hang') return undefined;
    return name === 'exit' ? { exitCode: Number(value) } : { exitCode: 0, result: `${value}\n` };
  }),
  templates: {
    print: text => template('print', text),
    exit: code => template('exit', String(code)),
    hang: () => template('hang'),
  },
}));
