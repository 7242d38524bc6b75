import { fail } from '../../values/failure.ts';
import { createMap, ownValue, type StringMap } from '../../values/value.ts';
import { kindName } from './convert.ts';
import { type SprigTable, sprig } from './signature.ts';

const url = /^(?:([A-Za-z][A-Za-z\d+.-]*):)?(?:\/\/(?:([^/?#@]*)@)?([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/;

function parseUrl(text: string): StringMap {
  const match = url.exec(text);
  if (match === null || /[\x00-\x1f\x7f]/.test(text))
    return fail(`unable to parse url: parse ${JSON.stringify(text)}: net/url: invalid control character in URL`);
  const [, scheme = '', userinfo = '', host = '', rest = '', query = '', fragment = ''] = match;
  const isOpaque = scheme !== '' && match[3] === undefined && !rest.startsWith('/');
  const hostname = /^\[(.*)\](?::\d*)?$/.exec(host)?.[1] ?? host.replace(/:\d*$/, '');
  return createMap(
    Object.entries({
      scheme: scheme.toLowerCase(),
      userinfo,
      host,
      hostname,
      path: isOpaque ? '' : decode(rest),
      opaque: isOpaque ? rest : '',
      query,
      fragment: decode(fragment),
    }),
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return fail('unable to parse url: invalid URL escape');
  }
}

function joinUrl(parts: StringMap): string {
  const part = (name: string): string => {
    const value = ownValue(parts, name) ?? '';
    return typeof value === 'string'
      ? value
      : fail(`unable to parse ${name} key, must be of type string, but ${kindName(value)} found`);
  };
  const [scheme, user, host, opaque] = [part('scheme'), part('userinfo'), part('host'), part('opaque')];
  const authority =
    scheme !== '' || host !== '' || user !== ''
      ? `${host !== '' || user !== '' || part('path') !== '' ? '//' : ''}${user && `${user}@`}${host}`
      : '';
  const path = encodeURI(part('path'));
  const separated = path !== '' && !path.startsWith('/') && host !== '' ? `/${path}` : path;
  return `${scheme && `${scheme}:`}${opaque || authority + separated}${part('query') && `?${part('query')}`}${part('fragment') && `#${encodeURI(part('fragment'))}`}`;
}

/** sprig's functions for URLs. */
export const urlFunctions: SprigTable = {
  urlParse: sprig('string', args => parseUrl(args.text(0))),
  urlJoin: sprig('map', args => joinUrl(args.map(0))),
};
