/** The words of the sample shop, from which the row of each number picks. */

/** Of descriptions, manuals and notes. */
export const sentences: readonly string[] = [
  'Wipe it with a damp cloth and let it dry in the open.',
  'It has been tested for two winters on the coast, where the wind comes from all sides.',
  'The handle is turned from a single piece of ash.',
  'Keep it away from children under three; small parts may come off.',
  'Screws and a key are in the bag that is taped to the lid.',
  'Our workshop repairs it free of charge as long as it can be repaired at all.',
  'Colours may differ slightly from the pictures.',
  'Made to order in a family business – delivery takes about a week.',
  'The surface is oiled, not lacquered: a scratch can be sanded and oiled again.',
  'Do not use it above 40 °C.',
  'Two of them stack; three of them do not.',
  'Spare parts have been available since 1987.',
  'What is not needed folds flat behind the door.',
  'It weighs less than it looks.',
];

export const mailHosts: readonly string[] = ['mail.example', 'post.example', 'inbox.example'];

export const themes: readonly string[] = ['light', 'dark', 'system'];

export const firstNames: readonly string[] = [
  'Ada',
  'Béla',
  'Chloé',
  'Dmitri',
  'Elif',
  'Finn',
  'Greta',
  'Hugo',
  'Inês',
  'Jürgen',
  'Kofi',
  'Lucía',
  'Mina',
  'Noor',
  'Olga',
  'Pía',
  'Quentin',
  'Rosa',
  'Søren',
  'Théo',
  'Ulla',
  'Vera',
  'Wanda',
  'Xavier',
  'Yuki',
  'Zoë',
];

export const lastNames: readonly string[] = [
  'Andersson',
  'Bauer',
  'Costa',
  'Dubois',
  'Evans',
  'Fischer',
  'García',
  'Hansen',
  'Ivanova',
  'Jansen',
  'Kowalski',
  'López',
  'Moreau',
  'Nagy',
  "O'Brien",
  'Peeters',
  'Quinn',
  'Rossi',
  'Schmidt',
  'Tanaka',
  'Ueda',
  'van Dijk',
  'Weiß',
  'Yılmaz',
  'Zhang',
];

/** Country, city and language. */
export const homes: readonly string[] = [
  'DE|Hamburg|de',
  'DE|Leipzig|de',
  'FR|Lyon|fr',
  'GB|Leeds|en',
  'IE|Cork|en',
  'NL|Utrecht|nl',
  'PL|Łódź|pl',
  'ES|Sevilla|es',
  'PT|Porto|pt',
  'SE|Malmö|sv',
  'IT|Torino|it',
  'AT|Graz|de',
];

export const brands: readonly string[] = ['Nordlicht', 'Casa Alba', 'Fernweh', 'Oak & Iron', 'Petit Four'];

export const suppliers: readonly string[] = ['Hafen Handel', 'Atelier Sud', 'Kanal 12', 'Bryggen'];

export const origins: readonly string[] = ['DE', 'PT', 'SE', 'PL', 'JP'];

export const care: readonly string[] = ['wipe', 'wash 30', 'oil yearly'];

/** Product and category. */
export const kinds: readonly string[] = [
  'lamp|light',
  'chair|furniture',
  'shelf|furniture',
  'bowl|kitchen',
  'mug|kitchen',
  'kettle|kitchen',
  'basket|storage',
  'hook|storage',
];

export const colors: readonly string[] = ['black', 'white', 'red', 'sage', 'blue', 'ochre'];

export const materials: readonly string[] = ['oak', 'ash', 'steel', 'glass', 'ceramic', 'linen'];

export const streets: readonly string[] = ['Mill Lane', 'Hafenstraße', 'Rua Nova', 'Storgatan', 'Rue du Lac'];

export const deliveryNotes: readonly string[] = [
  'Please ring twice.',
  'Leave it with the neighbour',
  'gift – no invoice please',
  'Back door.\nMind the dog.',
];
