import { notOneOf } from '../../args/global-flags.ts';
import { usageError } from '../../args/usage-error.ts';
import type { Command, CommandContext } from '../../command.ts';
import { commonFlags } from '../flags.ts';
import { readText } from '../read-input.ts';
import { errorOfResponse } from '../response-error.ts';
import { connectSm, type Method } from '../sm-client.ts';
import { groups } from './groups.ts';

const methods: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Sends any request. */
export const curlCommand: Command = {
  name: 'curl',
  aliases: ['c'],
  group: groups.others,
  summary: 'Send any request to the service manager and print the answer',
  usage: 'PATH [flags]',
  examples: [
    'chandlery curl /v1/monitor/health',
    `chandlery curl /v1/platforms -d '{"name": "eu-1", "type": "kubernetes"}'`,
    'chandlery curl /v1/platforms/5f1c -X PATCH -d @change.json',
  ],
  arguments: { required: ['PATH'] },
  formats: [],
  options: {
    request: { type: 'text', short: 'X', valueName: 'METHOD', about: 'Default: GET, with a body POST.' },
    data: { type: 'text', short: 'd', valueName: 'JSON', about: 'The body: JSON, @file, or - for the standard input.' },
    param: commonFlags.param,
    tenant: commonFlags.tenant,
  },
  notes: [
    'There is nothing to log in to: requests go with the credentials of the kubeconfig, as those of all commands.',
    'Another kubeconfig, or another context of it, is another user.',
  ],
  goal: ([path]) => `send a request to ${path}`,
  async run(context) {
    const [path = ''] = context.args;
    if (!path.startsWith('/')) throw usageError('InvalidOption', 'PATH must begin with a slash: /v1/info');
    const body = await bodyOf(context);
    const method = methodOf(context, body);
    await using sm = connectSm(context);
    const { status, text } = await sm.sendText(path, { method, ...(body === undefined ? {} : { body }) });
    context.stdout.write(text === '' || text.endsWith('\n') ? text : `${text}\n`);
    if (status >= 400) throw errorOfResponse(status, text);
    return 0;
  },
};

async function bodyOf(context: CommandContext): Promise<string | undefined> {
  const data = context.flags.text('data');
  return data === undefined ? undefined : readText(context, data);
}

function methodOf({ flags }: CommandContext, body: string | undefined): Method {
  const wanted = (flags.text('request') ?? (body === undefined ? 'GET' : 'POST')).toUpperCase();
  const method = methods.find(known => known === wanted);
  if (method === undefined) throw notOneOf('-X', methods, wanted);
  return method;
}
