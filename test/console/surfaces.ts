/** Dialogs, drawers, menus and panels of the console: where each is, and how it is opened. In English. */
import type { Page } from 'playwright-core';

export interface Surface {
  readonly name: string;
  /** Path within the memory's pages. */
  readonly route: string;
  readonly open: (page: Page) => Promise<void>;
  /** Default: the size of a desktop. */
  readonly width?: number;
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();
const inDialog = async (page: Page, name: string | RegExp) =>
  page.getByRole('dialog').last().getByRole('button', { name }).first().click();
const press =
  (...names: readonly (string | RegExp)[]) =>
  async (page: Page) => {
    for (const [i, name] of names.entries())
      await (i === 0 ? button(page, name).click() : inDialog(page, name));
  };
const openFirst =
  (...names: readonly (string | RegExp)[]) =>
  async (page: Page) => {
    await page.getByRole('listitem').getByRole('button').first().click();
    for (const name of names) await inDialog(page, name);
  };

export const SURFACES: readonly Surface[] = [
  {
    name: 'command palette',
    route: '/timeline',
    async open(page) {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: /^Search, go to/ }).fill('a');
    },
  },
  { name: 'menu of a phone', route: '/timeline', width: 390, open: press('Menu') },
  { name: 'a fact', route: '/memories?kind=fact', open: openFirst() },
  { name: 'correcting', route: '/memories?kind=fact', open: openFirst('Correct') },
  { name: 'forgetting', route: '/memories?kind=fact', open: openFirst('Forget for good') },
  {
    name: 'several memories',
    route: '/memories',
    async open(page) {
      for (const i of [0, 1]) await page.getByRole('listitem').getByRole('checkbox').nth(i).check();
      await button(page, 'Forget for good').click();
    },
  },
  { name: 'names of a person', route: '/people?id=1', open: press('Name and other names') },
  { name: 'merging people', route: '/people?id=1', open: press(/^Is the same as/) },
  { name: 'splitting a person', route: '/people?id=1', open: press(/^Is really two/) },
  { name: 'a topic', route: '/topics?view=list', open: openFirst() },
  { name: 'renaming a topic', route: '/topics?view=list', open: openFirst('Rename') },
  { name: 'moving a topic', route: '/topics?view=list', open: openFirst(/^Put under/) },
  { name: 'putting off', route: '/loops', open: press(/^Later/) },
  { name: 'reminders', route: '/loops', open: press('Reminders') },
  { name: 'undoing', route: '/journal', open: press('Undo') },
  { name: 'a model', route: '/operate?tab=models', open: press('Set up a model') },
  { name: 'revoking a token', route: '/operate?tab=access', open: press('Revoke') },
  {
    name: 'what if',
    route: '/chat?q=Where did we go for the holidays?',
    async open(page) {
      await page.getByRole('combobox', { name: 'Embedder' }).selectOption('Words alone');
      await page.getByRole('heading', { name: /^Other settings/ }).waitFor();
    },
  },
];
